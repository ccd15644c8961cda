"""From answers to a checklist that a person can go on writing in."""

from __future__ import annotations

import json
import re
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, Literal, cast

from pydantic.dataclasses import dataclass

from planning.checklist.model.checklist import Checklist
from planning.checklist.model.field_descriptions import meanings
from planning.checklist.model.structure import section_at
from planning.checklist.model.vocabulary import CloudName
from planning.inputs import plain_values
from planning.inputs.fact_tables import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


MORE: Final = "more"  # whether the questions after it are asked, or keep their defaults


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question of `atoll init`: an entry of catalogs/checklist/questions.yaml, which says what each field means."""

    id: str
    text: str
    kind: Literal["choice", "text", "number", "bool"]
    path: str = ""
    default: str = ""
    default_by: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    example: str = ""
    choices: dict[str, str] = field(default_factory=dict[str, str])
    every_provider: bool = False  # a choice too
    several: bool = False
    nothing: str | None = None
    when: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    unless: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    detail: bool = False

    @property
    def is_numbered(self) -> bool:
        """Whether a choice may be given by its number in the list: not where the choices are numbers themselves."""
        return not any(word.isdecimal() for word in self.choices)


def _add_providers(question: Question) -> Question:
    providers = {each.value: "" for each in CloudName} if question.every_provider else {}
    return replace(question, choices={**providers, **question.choices})


QUESTIONS: Final = tuple(map(_add_providers, read_table("checklist/questions.yaml", tuple[Question, ...])))


def is_asked(question: Question, *, answers: Mapping[str, str]) -> bool:
    """Whether the complete `answers` so far make the question worth asking."""
    wanted = all(answers.get(other, "") in words for other, words in question.when.items())
    return wanted and not any(answers.get(other, "") in words for other, words in question.unless.items())


def derive_default(question: Question, *, answers: Mapping[str, str]) -> str:
    """The answer of someone who just presses enter, after these answers."""
    known = (defaults.get(answers.get(other, "")) for other, defaults in question.default_by.items())
    return next((default for default in known if default is not None), question.default)


_HEAD: Final = """\
# yaml-language-server: $schema=../checklist.schema.json
#
# Written by `atoll init` from your answers. Every field, its default and its meaning: docs/reference/checklist.md.
# `atoll check` names every fault with its line; `atoll quote` prices it.
"""
_PART: Final = re.compile(r"(\w+)|\[(\d+)\]")
_SAFE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@/+-]*")
_NUMBER: Final = re.compile(r"-?[0-9.]+")
_SEPARATOR: Final = re.compile(r"[,\s]+")
_COMMENT_COLUMN: Final = 40

Tree = dict[str | int, "Tree | tuple[str, str]"]  # a leaf is its YAML and its comment


def complete(answers: Mapping[str, str]) -> dict[str, str]:
    """An answer for every question that is asked: the given one, else the default."""
    whole: dict[str, str] = {}
    for question in QUESTIONS:
        if is_asked(question, answers=whole):
            whole[question.id] = answers.get(question.id, derive_default(question, answers=whole)).strip()
    return whole


def compose(answers: Mapping[str, str]) -> str:
    """The text of a checklist, with a comment beside each field. Answers are not judged here: read the text for that.

    Args:
        answers: question id to answer; what is missing takes its default, what is not asked is passed over.
    """
    whole = complete(answers)
    tree: Tree = {}
    for question in QUESTIONS:
        answer = whole.get(question.id)
        if question.path and answer is not None and answer != question.nothing:
            _plant(tree, path=question.path, leaf=_yaml(question, answer), kind=whole["purpose"])
        if question.id == "purpose" and answer is not None:
            _plant(tree, path="workloads[0].name", leaf=_scalar(answer.replace("_", "-")), kind=answer)
    order = [name for name in Checklist.model_fields if name in tree]
    return _HEAD + "".join(_section(name, tree[name]) for name in order)


def _plant(tree: Tree, *, path: str, leaf: str, kind: str) -> None:
    parts: list[str | int] = [word or int(index) for word, index in _PART.findall(path)]
    for part in parts[:-1]:
        tree = cast("Tree", tree.setdefault(part, {}))
    tree[parts[-1]] = (leaf, _meaning(parts, kind=kind))


def _meaning(parts: list[str | int], *, kind: str) -> str:
    named = parts[:-1] if parts[0] == "storage" else parts  # what the tier is says more than "usable size"
    location = (*named[:2], kind, *named[2:]) if named[0] == "workloads" else tuple(named)
    section = section_at(location[:-1])
    return meanings(section).get(str(named[-1]), "") if section else ""


def _yaml(question: Question, answer: str) -> str:
    if question.several:
        chosen = [word for word in separate(answer) if word != question.nothing]
        return f"[{', '.join(map(_scalar, chosen))}]"
    plain = question.kind in {"bool", "number"} or (question.kind == "choice" and answer.isdecimal())
    return answer if plain and (_is_plain(answer) or _is_number(answer)) else _scalar(answer)


def _is_number(answer: str) -> bool:
    return bool(_NUMBER.fullmatch(answer)) and plain_values.objection(answer) is None


def separate(answer: str) -> list[str]:
    """The answers in one line, separated by commas or spaces; each once."""
    return list(dict.fromkeys(_SEPARATOR.split(answer.strip(", \t")))) if answer.strip(", \t") else []


def _is_plain(answer: str) -> bool:
    return bool(_SAFE.fullmatch(answer)) and plain_values.objection(answer) is None


def _scalar(text: str) -> str:
    """Unquoted where every reader takes it for the same text."""
    unquoted = _is_plain(text) and isinstance(plain_values.value(text), str)
    return text if unquoted else json.dumps(text)


def _section(key: str | int, node: Tree | tuple[str, str]) -> str:
    return "\n" + "".join(f"{line}\n" for line in _lines(key, node, indent=0))


def _lines(key: str | int, node: Tree | tuple[str, str], *, indent: int) -> Iterator[str]:
    margin = " " * indent
    if isinstance(node, tuple):
        line = f"{margin}{key}: {node[0]}"
        yield f"{line.ljust(_COMMENT_COLUMN)}  # {node[1]}" if node[1] else line
        return
    yield f"{margin}{key}:"
    for inner, value in node.items():
        if isinstance(inner, int):
            yield from _item(cast("Tree", value), indent=indent + 2)
        else:
            yield from _lines(inner, value, indent=indent + 2)


def _item(item: Tree, *, indent: int) -> Iterator[str]:
    lines = [line for key, value in item.items() for line in _lines(key, value, indent=indent + 2)]
    yield f"{' ' * indent}- {lines[0].lstrip()}"
    yield from lines[1:]
