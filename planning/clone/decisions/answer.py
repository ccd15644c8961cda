"""One answer put into a checklist, which says at once where it cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import ValidationError

from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.validation_messages import Wrong, explain
from planning.clone.decisions.decision import KEEP, NONE
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def put(checklist: Checklist, path: Path, value: object) -> Checklist:
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


def said(checklist: Checklist, answer: str, *, path: Path) -> Checklist:
    """The checklist with an answer in words: "keep", "none", "true", or a value."""
    if answer == KEEP:
        return checklist
    truths = {"true": True, "false": False, NONE: None}
    value = truths.get(answer, answer)
    if path[-1] in HAVE_NONE and answer == NONE:
        value = answer  # a word of these fields
    return put(checklist, path, value)
