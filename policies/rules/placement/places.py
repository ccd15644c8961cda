"""Rules about placement: allowed places, data residency, and that a cluster stays where it is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from planning.checklist.model.vocabulary import Residency
from planning.values.verdict import Verdict
from policies.properties import check_resources, over
from policies.rule import Breach, Rule, Severity
from policies.rules.placement.resource_locations import (
    ProviderRegion,
    list_resource_regions,
    main_cloud,
    of_lock,
    outward,
)
from policies.rules.pools import spec_of
from policies.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.resources.resource import Properties, Resource
    from policies.stack_context import StackContext


class PlaceSettings(Settings):
    providers: tuple[str, ...] = ()
    """Allowed providers, such as "aws"; empty: those of each stack's lock."""
    regions: tuple[str, ...] = ()
    """Allowed regions, such as "eu-central-1"; empty: those of each stack's lock."""


def _judge_places(subject: StackContext) -> Iterator[Breach]:
    settings = subject.law.get(PlaceSettings)
    yield from _of_lock(subject, settings)
    yield from check_resources(
        subject.resources, partial(_check_place, subject), limit=_describe_allowed(of_lock(subject.lock))
    )


def _of_lock(subject: StackContext, settings: PlaceSettings) -> Iterator[Breach]:
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
                given=f"the lock places a cluster in {place}",
                limit=f"the project allows {allowed}",
                fix="Accept an option in an allowed place, or allow this one in stacks/policies.yaml",
            )


def _check_place(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    del inputs
    for named in list_resource_regions(subject, resource):
        allowed = _list_allowed_regions(subject, resource)
        if named.place not in allowed:
            yield over(
                resource,
                named.path,
                given=f"it is in {named.place}",
                limit=_describe_allowed(allowed),
                fix=f"Move it to {allowed[0]}, where the lock has its cluster",
            )


def _list_allowed_regions(subject: StackContext, resource: Resource) -> tuple[ProviderRegion, ...]:
    """Places of the lock; at the main cloud's end of a tunnel or a peering, that end's too."""
    # The far end of a tunnel or a peering belongs there, not where the cluster is.
    way = outward(subject, resource)
    there = main_cloud(spec_of(subject, resource)).get(way) if way else None
    places = of_lock(subject.lock)
    return places if there is None else (*places, there)


def _describe_allowed(allowed: tuple[ProviderRegion, ...]) -> str:
    return f"the lock allows {', '.join(str(place) for place in allowed)}"


ALLOWED_PLACES: Final = Rule(
    name="allowed-places",
    title="Allowed places",
    demand="Every resource is at a provider and in a region that the lock names and the project allows.",
    why="A resource in a forgotten region costs money and is neither monitored nor protected.",
    remedy="Move the resource to the lock's region. For a further place change the checklist and accept again.",
    severity=Severity.HIGH,
    judge=_judge_places,
    settings=PlaceSettings,
)


UNTOLD: Final = ("", "unknown")
WIDER: Final[Mapping[str, tuple[Residency, ...]]] = {"NA": (Residency.US, Residency.CA)}  # groups that contain others


class ResidencySettings(Settings):
    everywhere: Residency = Residency.ANY
    """For every stack; "any": as its own checklist says."""
    stacks: dict[str, Residency] = Field(default_factory=dict)
    """For single stacks instead, by name."""


def _judge_residency(subject: StackContext) -> Iterator[Breach]:
    settings = subject.law.get(ResidencySettings)
    law = settings.stacks.get(subject.lock.stack, settings.everywhere)
    wanted = Residency(subject.lock.residency) if law is Residency.ANY else law
    if wanted is Residency.ANY:
        return
    for place in dict.fromkeys((*of_lock(subject.lock), *_list_forwarding_regions(subject))):
        yield from _at(subject, wanted, place)
    yield from check_resources(
        subject.resources, partial(_check_residency, subject, wanted), limit=_describe_residency(wanted)
    )


def _list_forwarding_regions(subject: StackContext) -> Iterator[ProviderRegion]:
    for spec in subject.lock.placements:
        to = spec.platform.forwarding if spec.platform else None
        if to is not None:
            yield ProviderRegion(to.provider, to.region)


def _check_residency(
    subject: StackContext, wanted: Residency, resource: Resource, inputs: Properties
) -> Iterator[Breach]:
    # Places of the lock itself are judged above.
    del inputs
    for named in list_resource_regions(subject, resource):
        if named.place not in of_lock(subject.lock):
            yield from _at(subject, wanted, named.place, urn=resource.urn, path=named.path)


def _at(
    subject: StackContext, wanted: Residency, place: ProviderRegion, *, urn: str = "", path: str = ""
) -> Iterator[Breach]:
    region = subject.catalog.regions.get((place.provider, place.region))
    known = region is not None and region.residency not in UNTOLD and wanted not in WIDER.get(region.residency, ())
    if region is not None and region.residency == wanted:
        return
    unknown = f"catalogs/regions.csv does not say in which country {place} is"
    yield Breach(
        verdict=Verdict.OVER if known else Verdict.UNDETERMINED,
        urn=urn,
        path=path,
        given=f"{place} is in {region.country} ({region.residency})" if region and known else unknown,
        limit=_describe_residency(wanted),
        fix=f"Choose a region in {wanted}: set where.residency in the checklist and accept an option again",
    )


def _describe_residency(wanted: Residency) -> str:
    return f"data must stay in {wanted}"


RESIDENCY: Final = Rule(
    name="residency",
    title="Data residency",
    demand="Clusters, their resources and forwarded logs stay in the jurisdiction that the project names.",
    why="Data that has left its jurisdiction cannot be recalled.",
    remedy="Place the stack in a region of that jurisdiction, or change the setting in stacks/policies.yaml.",
    severity=Severity.CRITICAL,
    judge=_judge_residency,
    settings=ResidencySettings,
)


UNBUILT: Final = "none"  # target of a placement that nothing builds


def _judge_region(subject: StackContext) -> Iterator[Breach]:
    yield from _find_moved_placements(subject)
    if len(subject.lock.placements) > 1:
        yield from check_resources(
            subject.resources, partial(_check_region, subject), limit="each cluster stays in its own place"
        )


def _find_moved_placements(subject: StackContext) -> Iterator[Breach]:
    """Placements that keep their name but not their place; none where the lock before the change is unknown."""
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
                limit="an existing stack stays at its provider and in its region",
                fix=f"Restore the lock, then: atoll clone {subject.lock.stack} NAME --region {new.region}",
            )


def _check_region(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """Resources of one cluster in the place of another; a place of no cluster is left to the rule allowed-places."""
    del inputs
    for named in list_resource_regions(subject, resource):
        spec = spec_of(subject, resource)
        own = ProviderRegion(spec.placement.provider, spec.placement.region)
        way = outward(subject, resource)
        if named.place in (own, main_cloud(spec).get(way) if way else own) or named.place not in of_lock(subject.lock):
            continue
        yield over(
            resource,
            named.path,
            given=f"it belongs to the cluster {spec.placement.name} and is in {named.place}",
            limit=f"that cluster is in {own}",
            fix=f"Move it to {own}, or below the component of the cluster in {named.place}",
        )


REGION_IN_PLACE: Final = Rule(
    name="region-in-place",
    title="Region in place",
    demand="An existing cluster changes neither its provider nor its region.",
    why="A region cannot be changed in place: the engine would delete the cluster with its data and create another.",
    remedy="Restore the lock. `atoll clone` starts a stack at the other place, `atoll relocate` moves its data there.",
    severity=Severity.CRITICAL,
    judge=_judge_region,
)
