"""A stack that exists stays where it is; somewhere else is another stack."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from planning.values.verdict import Verdict
from policies.breach import Breach, Severity
from policies.properties import check_resources
from policies.rule import Rule
from policies.rules.placement.resource_locations import (
    ProviderRegion,
    list_resource_regions,
    main_cloud,
    of_lock,
    outward,
)
from policies.rules.pools import spec_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Properties, Resource
    from policies.stack_context import StackContext

UNBUILT: Final = "none"  # target of a placement that nothing builds


def _breaches(subject: StackContext) -> Iterator[Breach]:
    yield from _find_moved_placements(subject)
    if len(subject.lock.placements) > 1:
        yield from check_resources(
            subject.resources, partial(_check, subject), limit="each cluster stays at its own place"
        )


def _find_moved_placements(subject: StackContext) -> Iterator[Breach]:
    """Placements that keep their name and not their place; nothing is said where nobody knows what was before."""
    before = (
        {} if subject.before is None else {each.placement.name: each.placement for each in subject.before.placements}
    )
    for spec in subject.lock.placements:
        old, new = before.get(spec.placement.name), spec.placement
        if old is None or old.target == UNBUILT:
            continue
        there, here = ProviderRegion(old.provider, old.region), ProviderRegion(new.provider, new.region)
        if there != here:
            yield Breach(
                verdict=Verdict.OVER,
                given=f"the lock moves the cluster {new.name} from {there} to {here}",
                limit="a stack that exists stays at its provider and in its region",
                fix=f"Restore the lock, then: atoll clone {subject.lock.stack} NAME --region {new.region}",
            )


def _check(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """Resources of one cluster that lie at another cluster's place; what lies at none is the rule of allowed places."""
    del inputs
    for seat in list_resource_regions(subject, resource):
        spec = spec_of(subject, resource)
        own = ProviderRegion(spec.placement.provider, spec.placement.region)
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
