"""The JSON report of a clone, its notes and its next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NotRequired, cast

from pydantic import with_config
from typing_extensions import TypedDict

from planning.clone.comparison.stack_comparison import CloneComparison  # noqa: TC001 - pydantic reads it
from planning.clone.decisions.decision import Need
from planning.costs.json_shapes import CLOSED
from planning.values.json_format import to_json
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.clone.assembly import Clone
    from operations.clone.source import SourceStack
    from planning.clone.decisions.decision import CloneDecision
    from planning.clone.field_table import FieldRow
    from planning.spec.lock import Lock

SCHEMA_VERSION: Final = 1
PLAIN: Final = "comments and layout of the source's checklist could not be kept: the clone's is a plain listing"
ZONES: Final = (
    "the zones stand in the lock, not in the checklist; `atoll accept` keeps them while the machines are sold there"
)


@with_config(CLOSED)
class PlaceForm(TypedDict):
    """Where a stack is."""

    stack: str
    option: str
    provider: str
    region: str
    zones: list[str]
    cidr: str


@with_config(CLOSED)
class FieldForm(TypedDict):
    """One row of the table."""

    field: str
    care: Literal["kept", "re-derived", "needs a decision"]
    old: str
    new: str
    why: str
    answer: NotRequired[str]
    """What was decided, or assumed."""


@with_config(CLOSED)
class ConfigForm(TypedDict):
    """One key of the source's stack configuration."""

    key: str
    carried: bool
    why: str


@with_config(CLOSED)
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
    """Decisions without an answer, and the answer that was assumed."""
    config: list[ConfigForm]
    secrets_provider: str
    """What encrypts the clone's secrets; empty for the backend's own way, chosen by `atoll up`."""
    names_compared: int
    """Names of resources of both stacks, none of which is shared."""
    comparison: CloneComparison
    """Prices per line, capability, security, residency and latency."""
    notes: list[str]
    next: list[str]


def clone_form(
    source: SourceStack,
    clone: Clone,
    *,
    written: Sequence[str],
    names: int,
    comparison: CloneComparison,
) -> dict[str, object]:
    """`atoll clone --json`, plain values of a `CloneForm`."""
    form: CloneForm = {
        "schema_version": SCHEMA_VERSION,
        "source": _place_form(source.lock),
        "clone": _place_form(clone.lock),
        "written": list(written),
        "fields": _field_forms(clone.fields),
        "placed": _field_forms(clone.placed),
        "assumed": list_assumed(clone.decisions, clone.answers),
        "config": [{"key": each.name, "carried": each.carried, "why": each.why} for each in clone.keys],
        "secrets_provider": clone.secrets_provider,
        "names_compared": names,
        "comparison": comparison,
        "notes": list(notes(clone)),
        "next": list(next_steps(source.stack, clone.stack)),
    }
    return cast("dict[str, object]", to_json(form))


def _place_form(lock: Lock) -> PlaceForm:
    place = lock.spec.placement
    return {
        "stack": lock.stack,
        "option": lock.option,
        "provider": place.provider,
        "region": place.region,
        "zones": list(place.zones),
        "cidr": str(lock.spec.network.cidr),
    }


def _field_forms(rows: Sequence[FieldRow]) -> list[FieldForm]:
    found: list[FieldForm] = []
    for row in rows:
        form: FieldForm = {"field": row.field, "care": row.care.value, "old": row.old, "new": row.new, "why": row.why}
        if row.answer:
            form["answer"] = row.answer
        found.append(form)
    return found


def list_assumed(decisions: Sequence[CloneDecision], answers: Mapping[str, str]) -> dict[str, str]:
    """Decisions without an answer, and the answer that is assumed."""
    return {each.path: each.assumed for each in decisions if each.need is Need.ASSUMED and each.path not in answers}


def notes(clone: Clone) -> tuple[str, ...]:
    """Assumptions and remarks beside the tables."""
    verdict = clone.option.judgement
    assumed = list_assumed(clone.decisions, clone.answers)
    found = [
        *(
            f"assumed: {each.path}: {assumed[each.path]}; {each.why}"
            for each in clone.decisions
            if each.path in assumed
        ),
        f"undetermined whether this stays under the ceiling: {verdict.reason}"
        if verdict.verdict is Verdict.UNDETERMINED
        else "",
        "" if clone.layout_kept else PLAIN,
        *remarks(clone),
    ]
    return tuple(each for each in found if each)


def remarks(clone: Clone) -> tuple[str, ...]:
    """Remarks that need no action."""
    left_out = clone.option.leaves_out
    found = (
        ZONES if clone.zones_named else "",
        f"left out of the bill: {'; '.join(left_out)}" if left_out else "",
        *clone.option.notes,
    )
    return tuple(each for each in found if each)


def next_steps(source: str, clone: str) -> tuple[str, ...]:
    """Commands in their order."""
    return (
        f"atoll preflight {clone}",
        f"atoll plan {clone}",
        f"atoll up {clone}",
        f"atoll relocate plan {source} {clone}",
    )
