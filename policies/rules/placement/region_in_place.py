"""A stack that exists stays where it is; somewhere else is another stack."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from planning.values.verdict import Verdict
from policies.breach import Breach, Severity
from policies.properties import each
from policies.rule import Rule
from policies.rules.placement.resource_locations import Place, main_cloud, of_lock, outward, seats
from policies.rules.pools import spec_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Properties, Resource
    from policies.stack_context import Subject

UNBUILT: Final = "none"  # target of a placement that nothing builds


def _breaches(subject: Subject) -> Iterator[Breach]:
    yield from _moved(subject)
    if len(subject.lock.placements) > 1:
        yield from each(subject.resources, partial(_check, subject), limit="each cluster stays at its own place")


def _moved(subject: Subject) -> Iterator[Breach]:
    """Placements that keep their name and not their place; nothing is said where nobody knows what was before."""
    before = (
        {} if subject.before is None else {each.placement.name: each.placement for each in subject.before.placements}
    )
    for spec in subject.lock.placements:
        old, new = before.get(spec.placement.name), spec.placement
        if old is None or old.target == UNBUILT:
            continue
        there, here = Place(old.provider, old.region), Place(new.provider, new.region)
        if there != here:
            yield Breach(
                verdict=Verdict.OVER,
                given=f"the lock moves the cluster {new.name} from {there} to {here}",
                limit="a stack that exists stays at its provider and in its region",
                fix=f"Restore the lock, then: atoll clone {subject.lock.stack} NAME --region {new.region}",
            )


def _check(subject: Subject, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """Resources of one cluster that lie at another cluster's place; what lies at none is the rule of allowed places."""
    del inputs
    for seat in seats(subject, resource):
        spec = spec_of(subject, resource)
        own = Place(spec.placement.provider, spec.placement.region)
        way = outward(subject, resource)
        if seat.place in (own, main_cloud(spec).get(way) if way else own) or seat.place not in of_lock(subject.lock):
            continue
        yield Breach(
            verdict=Verdict.OVER,
            urn=resource.urn,
            path=seat.path,
            given=f"it belongs to the cluster {spec.placement.name} and lies at {seat.place}",
            limit=f"that cluster is at {own}",
            fix=f"Put it at {own}, or below the component of the cluster that is at {seat.place}",
        )


RULE: Final = Rule(
    name="region-in-place",
    title="Region in place",
    demand="No cluster that exists changes its provider or its region.",
    why="A region cannot be edited: the engine would delete the cluster with its data and begin again elsewhere.",
    remedy="Restore the lock. `atoll clone` starts a stack at the other place, `atoll relocate` moves its data there.",
    severity=Severity.CRITICAL,
    judge=_breaches,
)
