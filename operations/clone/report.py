"""A clone in JSON, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from planning.clone.form import SCHEMA_VERSION, build_assumed_form, field_forms
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from operations.clone.assembly import Clone
    from operations.clone.source import SourceStack
    from planning.clone.comparison.form import ComparisonForm
    from planning.clone.form import CloneForm, PlaceForm
    from planning.spec.lock import Lock

PLAIN: Final = "comments and layout of the source's checklist could not be kept: the clone's is a plain listing"
ZONES: Final = (
    "the zones stand in the lock, not in the checklist; `atoll accept` keeps them while the machines are sold there"
)


def clone_form(
    source: SourceStack,
    clone: Clone,
    *,
    written: Sequence[str],
    names: int,
    comparison: ComparisonForm,
) -> CloneForm:
    """`atoll clone --json`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "source": _place_form(source.lock),
        "clone": _place_form(clone.lock),
        "written": list(written),
        "fields": field_forms(clone.fields),
        "placed": field_forms(clone.placed),
        "assumed": build_assumed_form(clone.decisions, clone.answers),
        "config": [{"key": each.name, "carried": each.carried, "why": each.why} for each in clone.keys],
        "secrets_provider": clone.secrets_provider,
        "names_compared": names,
        "comparison": comparison,
        "notes": list(notes(clone)),
        "next": list(next_steps(source.stack, clone.stack)),
    }


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


def notes(clone: Clone) -> tuple[str, ...]:
    """What a person must know of the clone beside the tables."""
    verdict = clone.option.judgement
    assumed = build_assumed_form(clone.decisions, clone.answers)
    found = [
        *(
            f"assumed: {each.path}: {assumed[each.path]}; {each.why}"
            for each in clone.decisions
            if each.path in assumed
        ),
        f"nobody can tell whether this stays under the ceiling: {verdict.reason}"
        if verdict.verdict is Verdict.CANNOT_TELL
        else "",
        "" if clone.layout_kept else PLAIN,
        *remarks(clone),
    ]
    return tuple(each for each in found if each)


def remarks(clone: Clone) -> tuple[str, ...]:
    """What else there is to know: nothing that a person must act on."""
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


def as_object(form: object) -> dict[str, object]:
    """A typed form as any JSON object."""
    return cast("dict[str, object]", form)
