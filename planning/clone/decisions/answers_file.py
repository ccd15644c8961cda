"""A decisions file: one line for each decision, every fault of it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.clone.decisions.decision import Need, require_choice
from planning.inputs.faults import SourceText, nearest
from planning.inputs.yaml_nodes import Fields, Scalar, TextPosition, compose
from planning.values.errors import Fault, InputError, format_fault_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.clone.decisions.decision import CloneDecision
    from planning.inputs.yaml_nodes import Node

MOST: Final = 100_000  # characters; a decisions file has a dozen lines


def read_answers(
    text: str, *, file: str, decisions: Sequence[CloneDecision], checklist: Checklist
) -> Mapping[str, str]:
    """The answers in a text.

    Raises:
        InputError: not YAML, keys that are no decision, answers that cannot be, needed ones that are missing; all.
    """
    if len(text) > MOST:
        raise InputError(f"{file}: over {MOST // 1000} KB", hint="a decisions file has a line for each decision")
    source = SourceText(file=file, lines=text.splitlines())
    root, notes = compose(text)
    faults = [source.build_fault(note.message, place=note.place, hint=note.hint) for note in notes]
    fields = root.entries if isinstance(root, Fields) else {}
    if root is not None and not isinstance(root, Fields):
        hint = 'write lines such as "where.domain: none"'
        faults.append(
            source.build_fault("decisions are lines of a key and an answer", place=TextPosition(1, 1), hint=hint)
        )
    known = {each.path: each for each in decisions}
    answers: dict[str, str] = {}
    for key, (place, node) in fields.items():
        faults += _wrong(key, place, node, known=known, source=source, checklist=checklist)
        if isinstance(node, Scalar):
            answers[key] = node.text
    if not notes:
        needed = (each for each in decisions if each.need is Need.NEEDED)
        faults += [_missing(each, file=file) for each in needed if each.path not in fields]
    if faults:
        count = format_fault_count(faults)
        raise InputError(f"{file}: {count}", faults=sorted(faults, key=lambda each: (not each.line, each.line)))
    return answers


def _wrong(
    key: str,
    place: TextPosition,
    node: Node,
    *,
    known: Mapping[str, CloneDecision],
    source: SourceText,
    checklist: Checklist,
) -> Iterator[Fault]:
    decision = known.get(key)
    if decision is None:
        near = nearest(key, known)
        asked = ", ".join(each.path for each in known.values() if each.need is not Need.OFFERED) or "none"
        hint = f'did you mean "{near}"?' if near else f"decisions of this clone: {asked}"
        yield source.build_fault(f'"{key}" is not decided here', place=place, hint=hint)
    elif not isinstance(node, Scalar) or not node.text.strip():
        yield source.build_fault(f'"{key}" takes one word', place=node.place, hint=f'as in "{decision.example}"')
    elif objection := objection_to(decision, node.text, checklist):
        yield source.build_fault(objection[0], place=node.place, hint=objection[1])


def objection_to(decision: CloneDecision, answer: str, checklist: Checklist) -> tuple[str, str] | None:
    """Why an answer cannot be, and what to do about it; None where it can."""
    try:
        require_choice(decision, answer)
        decision.settle(checklist, answer)
    except InputError as error:
        return f"{decision.path}: {error}", error.hint
    return None


def _missing(each: CloneDecision, *, file: str) -> Fault:
    words = " | ".join(choice.word for choice in each.choices)
    return Fault(message=f"{each.path} needs a decision: {each.why}", file=file, hint=f"{each.path}: {words}")


def open_text(needed: Sequence[CloneDecision], *, stack: str, target: str) -> str:
    """What is still to be decided, with every possible answer."""
    count = "1 decision is" if len(needed) == 1 else f"{len(needed)} decisions are"
    lines = [f"{count} needed before {stack} can be quoted at {target}"]
    for each in needed:
        lines += ["", f"{each.path}   now {each.old}", f"  {each.why}"]
        lines += [f"    {choice.word:<18}{choice.meaning}".rstrip() for choice in each.choices]
    return "\n".join(lines)


def open_hint(needed: Sequence[CloneDecision]) -> str:
    body = "\n".join(f"    {each.example}" for each in needed)
    return f"answer at a terminal, or write a file and name it with --decisions; words in capitals are yours:\n{body}"
