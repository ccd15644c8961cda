"""Decisions taken at a terminal, one by one; an answer that cannot be is refused at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.clone.decisions.answers_file import objection_to
from planning.clone.decisions.decision import Need

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.clone.decisions.decision import CloneDecision


def ask_decisions(
    decisions: Sequence[CloneDecision], checklist: Checklist, *, ask: Callable[[str], str], say: Callable[[str], None]
) -> dict[str, str]:
    """The answers of a person to every decision that is needed or assumed.

    Args:
        ask: shows a prompt and returns what was typed.
        say: shows a line.
    """
    answers: dict[str, str] = {}
    for each in decisions:
        if each.need is not Need.OFFERED:
            answers[each.path] = _answer(each, checklist, ask=ask, say=say)
    return answers


def _answer(each: CloneDecision, checklist: Checklist, *, ask: Callable[[str], str], say: Callable[[str], None]) -> str:
    say("")
    say(f"{each.path}: {each.why} (now {each.old})")
    for choice in each.choices:
        say(f"  {choice.word:<18}{choice.meaning}".rstrip())
    while True:
        answer = ask(f"[{each.assumed or 'no default'}] ").strip() or each.assumed
        objection = objection_to(each, answer, checklist) if answer else ("an answer is needed", "")
        if objection is None:
            return answer
        say("  " + "; ".join(part for part in objection if part))
