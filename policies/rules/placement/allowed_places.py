"""Everything lies where the lock says, or where the project allows it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from planning.values.verdict import Verdict
from policies.breach import Breach, Settings, Severity
from policies.properties import check_resources
from policies.rule import Rule
from policies.rules.placement.resource_locations import list_resource_regions, main_cloud, of_lock, outward
from policies.rules.pools import spec_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Properties, Resource
    from policies.rules.placement.resource_locations import ProviderRegion
    from policies.stack_context import StackContext


class PlaceSettings(Settings):
    """Where stacks may be."""

    providers: tuple[str, ...] = ()
    """Providers that are allowed, "aws" among others; empty: those of each stack's lock."""
    regions: tuple[str, ...] = ()
    """Regions that are allowed, "eu-central-1" among others; empty: those of each stack's lock."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    settings = subject.law.setting(PlaceSettings)
    yield from _of_lock(subject, settings)
    yield from check_resources(subject.resources, partial(_check, subject), limit=_limit(of_lock(subject.lock)))


def _of_lock(subject: StackContext, settings: PlaceSettings) -> Iterator[Breach]:
    """Clusters of the lock that the project does not allow."""
    for place in of_lock(subject.lock):
        providers, regions = settings.providers or (place.provider,), settings.regions or (place.region,)
        if place.provider not in providers or place.region not in regions:
            allowed = " and ".join(
                f"{word} {', '.join(names)}"
                for word, names in (("providers", settings.providers), ("regions", settings.regions))
                if names
            )
            yield Breach(
                verdict=Verdict.OVER,
                given=f"the lock places a cluster at {place}",
                limit=f"the project allows {allowed}",
                fix="Accept an option at an allowed place, or let stacks/policies.yaml allow this one",
            )


def _check(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    del inputs
    for seat in list_resource_regions(subject, resource):
        allowed = _list_allowed_regions(subject, resource)
        if seat.place not in allowed:
            yield Breach(
                verdict=Verdict.OVER,
                urn=resource.urn,
                path=seat.path,
                given=f"it lies at {seat.place}",
                limit=_limit(allowed),
                fix=f"Put it at {allowed[0]}, where the lock has its cluster",
            )


def _list_allowed_regions(subject: StackContext, resource: Resource) -> tuple[ProviderRegion, ...]:
    """Places of the lock; at the main cloud's end of a tunnel or a peering, that end's too."""
    way = outward(subject, resource)
    there = main_cloud(spec_of(subject, resource)).get(way) if way else None
    places = of_lock(subject.lock)
    return places if there is None else (*places, there)


def _limit(allowed: tuple[ProviderRegion, ...]) -> str:
    return f"the lock allows {', '.join(str(place) for place in allowed)}"


RULE: Final = Rule(
    name="allowed-places",
    title="Allowed places",
    demand="Every resource lies at a provider and in a region of the lock, which the project allows.",
    why="Something in a forgotten region is paid for, unprotected and seen by nobody.",
    remedy="Move the resource to the lock's region. To be somewhere else too, say so in the checklist and accept anew.",
    severity=Severity.HIGH,
    judge=_breaches,
    settings=PlaceSettings,
)
