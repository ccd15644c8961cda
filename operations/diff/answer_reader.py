"""Reading what a side answered. It comes from a tree that anybody may have written: what does not fit is a failure."""

from __future__ import annotations

import stat
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import TypeAdapter, ValidationError

from operations.diff.protocol import JudgedAnswerForm, PricedForm, RegisteredForm
from planning.costs.resources.formats.plan import read_plan
from planning.inputs.files import read_object
from planning.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from planning.costs.resources.resource import Resource

LARGEST_BYTES: Final = 256 * 2**20
UNREADABLE: Final = "its answer is none that this Atoll reads; compare with the Atoll of the base"


def failure(path: Path) -> str:
    """Why there is no answer; "" where there is one."""
    found = loaded(path)
    said = found.get("failure") if found is not None else None
    return said if isinstance(said, str) else UNREADABLE


def resources(path: Path | None) -> tuple[Resource, ...]:
    """What a program registered; nothing where it failed."""
    found = _valid(path, RegisteredForm)
    return read_plan(cast("dict[str, object]", found)).new if found and "resources" in found else ()


def judged(path: Path | None) -> JudgedAnswerForm:
    """What the rules said, or why they said nothing."""
    found = _valid(path, JudgedAnswerForm)
    if found is None:
        return {"failure": UNREADABLE if path else ""}
    answer = cast("JudgedAnswerForm", found)
    complete = not answer["failure"] and {"bill", "book", "found", "codes", "exemptions", "verdict"} <= answer.keys()
    return answer if complete or answer["failure"] else {"failure": UNREADABLE}


def priced(path: Path | None) -> PricedForm:
    """What the resources cost, or why nobody knows."""
    found = _valid(path, PricedForm)
    return cast("PricedForm", found) if found else {"failure": UNREADABLE if path else ""}


def _valid(path: Path | None, shape: type) -> dict[str, Any] | None:
    found = loaded(path) if path else None
    if found is None:
        return None
    if found.get("failure"):
        return {"failure": str(found["failure"])}
    try:
        return cast("dict[str, Any]", _adapter(shape).validate_python(found))
    except ValidationError:
        return None


@cache
def _adapter(shape: type) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def loaded(path: Path) -> dict[str, object] | None:
    """A JSON object in a file of its own; None where it is no such file, or too large."""
    try:
        there = path.lstat()
        if not stat.S_ISREG(there.st_mode) or there.st_size > LARGEST_BYTES:
            return None
        return read_object(path, most_bytes=LARGEST_BYTES)
    except (OSError, InputError):
        return None
