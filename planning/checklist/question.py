"""One question of `atoll init`, and when it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


When = tuple[tuple[str, frozenset[str]], ...]  # earlier questions, and the answers that must have been given


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer among few: the word a checklist uses and what it means."""

    word: str
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and the field of the checklist that the answer fills.

    Args:
        kind: choice (one of `choices`), text, number, or bool ("true" or "false").
        several: more than one answer, separated by commas.
        default: the answer of someone who just presses enter.
        path: field of the checklist, as in "workloads[0].model.parameters".
        nothing: the answer that leaves the field out.
        when: earlier questions and the answers that make this one worth asking; all must hold.
    """

    id: str
    text: str
    kind: Literal["choice", "text", "number", "bool"]
    path: str
    default: str
    choices: tuple[Choice, ...] = ()
    several: bool = False
    nothing: str = ""
    when: When = ()


def is_asked(question: Question, *, answers: Mapping[str, str]) -> bool:
    """Whether the complete `answers` so far make the question worth asking."""
    return all(answers.get(other, "") in words for other, words in question.when)


def words(*known: str) -> tuple[Choice, ...]:
    """Choices that need no explanation."""
    return tuple(Choice(word) for word in known)


def text(
    name: str, text: str, path: str, default: str, *, several: bool = False, nothing: str = "", when: When = ()
) -> Question:
    """A question that is answered in words."""
    return Question(
        id=name, text=text, kind="text", path=path, default=default, several=several, nothing=nothing, when=when
    )


def number(name: str, text: str, path: str, default: str, *, when: When = ()) -> Question:
    """A question that is answered by a number."""
    return Question(id=name, text=text, kind="number", path=path, default=default, when=when)


def flag(name: str, text: str, path: str, default: str, *, when: When = ()) -> Question:
    """A question that is answered by yes or no."""
    return Question(id=name, text=text, kind="bool", path=path, default=default, when=when)


def choice(
    name: str,
    text: str,
    path: str,
    default: str,
    choices: tuple[Choice, ...],
    *,
    several: bool = False,
    nothing: str = "",
) -> Question:
    """A question with few answers."""
    return Question(
        id=name, text=text, kind="choice", path=path, default=default, choices=choices, several=several, nothing=nothing
    )
