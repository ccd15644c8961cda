"""One question of `atoll init`, and when it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


When = tuple[tuple[str, frozenset[str]], ...]  # earlier questions, and answers to them
DefaultBy = tuple[str, tuple[tuple[str, str], ...]]  # an earlier question, and the default for each answer to it
COMPUTES: Final = ("purpose", frozenset({"training", "fine_tuning"}))


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """One answer among few: the word a checklist uses and what it means."""

    word: str
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and the field of the checklist that the answer fills.

    Args:
        kind: choice (one of `choices`), text, number, or bool ("true" or "false").
        several: more than one answer, separated by commas or spaces.
        default: the answer of someone who just presses enter; "" where one must be typed.
        default_by: the default where it follows from an earlier answer.
        example: an answer in the place of a default that there cannot be; it is never written.
        path: field of the checklist, as in "workloads[0].model.parameters".
        nothing: the answer that leaves the field out, as in "none"; None where it cannot be left out.
        when: earlier questions and the answers that make this one worth asking; all must hold.
        unless: earlier questions and the answers that make it pointless; one is enough.
        detail: whether it moves the price little, so that whoever is in a hurry keeps its default.
    """

    id: str
    text: str
    kind: Literal["choice", "text", "number", "bool"]
    path: str
    default: str = ""
    default_by: DefaultBy | None = None
    example: str = ""
    choices: tuple[AnswerChoice, ...] = ()
    several: bool = False
    nothing: str | None = None
    when: When = ()
    unless: When = ()
    detail: bool = False

    @property
    def is_numbered(self) -> bool:
        """Whether a choice may be given by its number in the list: not where the choices are numbers themselves."""
        return not any(choice.word.isdecimal() for choice in self.choices)


def is_asked(question: Question, *, answers: Mapping[str, str]) -> bool:
    """Whether the complete `answers` so far make the question worth asking."""
    wanted = all(answers.get(other, "") in words for other, words in question.when)
    return wanted and not any(answers.get(other, "") in words for other, words in question.unless)


def derive_default(question: Question, *, answers: Mapping[str, str]) -> str:
    """The answer of someone who just presses enter, after these answers."""
    if question.default_by is None:
        return question.default
    other, defaults = question.default_by
    return dict(defaults).get(answers.get(other, ""), question.default)


def words(*known: str) -> tuple[AnswerChoice, ...]:
    """Choices that need no explanation."""
    return tuple(AnswerChoice(word) for word in known)
