"""Fields that a checklist may have and that no price follows from: named, so that their effect is not expected.

A census in the tests gives every field another value: what changes no quote is listed here, or the test fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel

from planning.checklist.model.structure import kind_of
from planning.inputs.fact_tables import read_rows
from planning.inputs.faults import spell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist

    Path = tuple[str | int, ...]

UNPRICED: Final = read_rows("checklist/unpriced.csv")
UNUSED: Final = {row["field"]: row["reason"] for row in UNPRICED if row["kind"] == "unused"}
"""By the field's key, with the kind of a workload in brackets."""
RECORDED: Final = {row["field"]: row["reason"] for row in UNPRICED if row["kind"] == "recorded"}
"""By the beginning of a field's key: what a document or a later command uses and no price follows from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedField:
    """A field that was written and changes no quote."""

    path: str
    reason: str


def find_unused(checklist: Checklist) -> tuple[UnusedField, ...]:
    """Every field that was written and that no quote changes with."""
    return tuple(_walk(checklist, (), ""))


def _walk(section: BaseModel, path: Path, key: str) -> Iterator[UnusedField]:
    for name in type(section).model_fields:
        if name not in section.model_fields_set:
            continue
        value, here = getattr(section, name), f"{key}.{name}" if key else name
        if here in UNUSED:
            yield UnusedField(path=spell((*path, name)), reason=UNUSED[here])
        elif isinstance(value, BaseModel):
            yield from _walk(value, (*path, name), here)
        elif isinstance(value, tuple):
            for index, each in enumerate(cast("tuple[object, ...]", value)):
                if isinstance(each, BaseModel):
                    kind = kind_of(type(each))
                    yield from _walk(each, (*path, name, index), f"{here}[{kind}]" if kind else here)
