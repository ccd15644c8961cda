"""Decisions of a clone that a person must take, with the possible answers."""

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
# Placeholders for a value of one's own; none of them is an answer.
YOURS: Final = frozenset(
    ("ACCELERATOR", "DAY", "ID", "MONTHS", "NAME", "PROVIDER/REGION", "URL", "VALUE", "VARIABLE", "VARIABLE/CONTEXT")
)


class Need(StrEnum):
    NEEDED = "needed"  # nothing is assumed
    ASSUMED = "assumed"  # a harmless answer is assumed, and reported
    OFFERED = "offered"  # not asked; may be given where nothing fits otherwise


@dataclass(frozen=True, slots=True)
class DecisionChoice:
    """One possible answer; capitals are a placeholder."""

    word: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneDecision:
    """One decision.

    Args:
        path: field of the checklist, and key in a decisions file.
        why: what forces it, in a sentence.
        old: value of the source.
        settle: applies an answer to a checklist; raises InputError where it does not fit.
        assumed: answer taken where none is given.
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
    """Refuse a placeholder as an answer, and any answer beside the choices where none of them is a placeholder.

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
    """Value at a path; None without one."""
    value: object = checklist
    for step in path:
        if isinstance(step, str):
            value = getattr(value, step, None)
        elif isinstance(value, tuple):
            value = cast("tuple[object, ...]", value)[step]
    return value


def replace_value(checklist: Checklist, path: Path, value: object) -> Checklist:
    """Replace the value at a path.

    Raises:
        InputError: the value is not valid there.
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
    """Apply an answer: "keep", "none", "true", "false" or a value."""
    if answer == KEEP:
        return checklist
    truths = {"true": True, "false": False, NONE: None}
    value = truths.get(answer, answer)
    if path[-1] in HAVE_NONE and answer == NONE:
        value = answer  # a word of these fields
    return replace_value(checklist, path, value)
