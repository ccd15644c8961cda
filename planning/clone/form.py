"""The shape of `atoll clone --json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.clone.comparison.form import ComparisonForm  # noqa: TC001 - pydantic reads it at run time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.clone.decisions.decision import CloneDecision
    from planning.clone.field_table import FieldRow

SCHEMA_VERSION: Final = 1
_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class PlaceForm(TypedDict):
    """Where a stack is."""

    stack: str
    option: str
    provider: str
    region: str
    zones: list[str]
    cidr: str


@with_config(_CLOSED)
class FieldForm(TypedDict):
    """One row of the table."""

    field: str
    care: Literal["kept", "re-derived", "needs a decision"]
    old: str
    new: str
    why: str
    answer: NotRequired[str]
    """What was decided, or assumed."""


@with_config(_CLOSED)
class ConfigForm(TypedDict):
    """One key of the source's stack configuration."""

    key: str
    carried: bool
    why: str


@with_config(_CLOSED)
class CloneForm(TypedDict):
    """A clone: what was asked, what became of every field, and what is to be done next."""

    schema_version: int
    source: PlaceForm
    clone: PlaceForm
    written: list[str]
    """Files; empty for a dry run."""
    fields: list[FieldForm]
    """Every field of the checklist."""
    placed: list[FieldForm]
    """What of the lock is bound to its place, and what is made for each stack."""
    assumed: dict[str, str]
    """Decisions that nobody took, and the answer that was assumed."""
    config: list[ConfigForm]
    secrets_provider: str
    """What encrypts the clone's secrets; empty for the backend's own way, chosen by `atoll up`."""
    names_compared: int
    """Names of resources of both stacks, none of which is shared."""
    comparison: ComparisonForm
    """Prices per line, capability, security, residency and latency."""
    notes: list[str]
    next: list[str]


def field_forms(rows: Sequence[FieldRow]) -> list[FieldForm]:
    found: list[FieldForm] = []
    for row in rows:
        form: FieldForm = {"field": row.field, "care": row.care.value, "old": row.old, "new": row.new, "why": row.why}
        if row.answer:
            form["answer"] = row.answer
        found.append(form)
    return found


def build_assumed_form(decisions: Sequence[CloneDecision], answers: Mapping[str, str]) -> dict[str, str]:
    """Decisions with an answer that nobody gave."""
    return {each.path: each.assumed for each in decisions if each.need.value == "assumed" and each.path not in answers}
