"""A decision that only a person can take: what is asked, why, and what can be answered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import ValidationError

from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.validation_messages import Wrong, explain
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


KEEP: Final = "keep"
DROP: Final = "drop"
NONE: Final = "none"
# Words that stand for an answer of one's own; none of them is one.
YOURS: Final = frozenset(
    ("ACCELERATOR", "DAY", "ID", "MONTHS", "NAME", "PROVIDER/REGION", "URL", "VALUE", "VARIABLE", "VARIABLE/CONTEXT")
)


class Need(StrEnum):
    """How much a decision is needed."""

    NEEDED = "needed"  # nothing is assumed
    ASSUMED = "assumed"  # has an answer that harms nothing, and is said
    OFFERED = "offered"  # not asked; may be said where nothing fits otherwise


@dataclass(frozen=True, slots=True)
class DecisionChoice:
    """One possible answer; in capitals where it is written by the person."""

    word: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneDecision:
    """One decision.

    Args:
        path: its key in a decisions file: the field it is about.
        why: what forces it, in a sentence.
        old: what the source has.
        settle: the checklist with an answer in it; raises InputError where it cannot be.
        assumed: the answer taken where nobody gives one.
    """

    path: str
    why: str
    old: str
    choices: tuple[DecisionChoice, ...]
    settle: Callable[[Checklist, str], Checklist]
    need: Need = Need.NEEDED
    assumed: str = ""

    @property
    def example(self) -> str:
        return f"{self.path}: {self.choices[0].word}"


def require_choice(decision: CloneDecision, answer: str) -> None:
    """Refuse an answer that is none of the words, where there are only words, and a word that stands for another.

    Raises:
        InputError: with the words.
    """
    words = [choice.word for choice in decision.choices]
    if answer in YOURS:
        raise InputError(f"{answer} stands for a word of your own", hint=f"write yours: {_meaning(decision, answer)}")
    if answer not in words and not YOURS.intersection(words):
        raise InputError(f'"{answer[:40]}" is no answer to it', hint=f"one of: {', '.join(words)}")


def _meaning(decision: CloneDecision, word: str) -> str:
    return next((each.meaning for each in decision.choices if each.word.startswith(word)), "") or decision.path


Path = tuple[str | int, ...]
HAVE_NONE: Final = ("sharing",)  # fields with a word "none" of their own


def value_at(checklist: Checklist, path: Sequence[str | int]) -> object:
    """What stands at a path; None where there is nothing."""
    value: object = checklist
    for step in path:
        if isinstance(step, str):
            value = getattr(value, step, None)
        elif isinstance(value, tuple):
            value = cast("tuple[object, ...]", value)[step]
    return value


def replace_value(checklist: Checklist, path: Path, value: object) -> Checklist:
    """The checklist with another value at a path.

    Raises:
        InputError: no checklist can hold it there; the message is about the value.
    """
    fields = cast("dict[str, object]", checklist.model_dump(mode="python"))
    section: Any = fields
    for step in path[:-1]:
        found = section[step]
        section[step] = list(cast("Sequence[object]", found)) if isinstance(found, tuple) else found
        section = section[step]
    section[path[-1]] = value
    try:
        return Checklist.model_validate(fields)
    except ValidationError as error:
        first = cast("dict[str, Any]", error.errors(include_url=False)[0])
        wrong = Wrong(rule=first["type"], location=first["loc"], given=first["input"], limits=first.get("ctx", {}))
        message, hint = explain(wrong)
        raise InputError(message, hint=hint) from error


def apply_answer(checklist: Checklist, answer: str, *, path: Path) -> Checklist:
    """The checklist with an answer in words: "keep", "none", "true", or a value."""
    if answer == KEEP:
        return checklist
    truths = {"true": True, "false": False, NONE: None}
    value = truths.get(answer, answer)
    if path[-1] in HAVE_NONE and answer == NONE:
        value = answer  # a word of these fields
    return replace_value(checklist, path, value)
