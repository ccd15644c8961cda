"""Data stays in the part of the world that the project names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from planning.checklist.model.vocabulary import Residency
from planning.values.verdict import Verdict
from policies.breach import Breach, Settings, Severity
from policies.properties import check_resources
from policies.rule import Rule
from policies.rules.placement.resource_locations import ProviderRegion, list_resource_regions, of_lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.resources.resource import Properties, Resource
    from policies.stack_context import StackContext

UNTOLD: Final = ("", "unknown")
WIDER: Final[Mapping[str, tuple[Residency, ...]]] = {"NA": (Residency.US, Residency.CA)}  # groups in which others lie


class ResidencySettings(Settings):
    """Where data may lie."""

    everywhere: Residency = Residency.ANY
    """What holds for every stack; "any" for what its own checklist says."""
    stacks: dict[str, Residency] = Field(default_factory=dict)
    """What holds for single stacks instead, by their names."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    settings = subject.law.setting(ResidencySettings)
    law = settings.stacks.get(subject.lock.stack, settings.everywhere)
    wanted = Residency(subject.lock.residency) if law is Residency.ANY else law
    if wanted is Residency.ANY:
        return
    for place in dict.fromkeys((*of_lock(subject.lock), *_list_forwarding_regions(subject))):
        yield from _at(subject, wanted, place)
    yield from check_resources(subject.resources, partial(_check, subject, wanted), limit=_limit(wanted))


def _list_forwarding_regions(subject: StackContext) -> Iterator[ProviderRegion]:
    """Where logs and metrics are sent as well."""
    for spec in subject.lock.placements:
        to = spec.platform.forwarding if spec.platform else None
        if to is not None:
            yield ProviderRegion(to.provider, to.region)


def _check(subject: StackContext, wanted: Residency, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """What resources name beyond the lock, which is judged above."""
    del inputs
    for seat in list_resource_regions(subject, resource):
        if seat.place not in of_lock(subject.lock):
            yield from _at(subject, wanted, seat.place, urn=resource.urn, path=seat.path)


def _at(
    subject: StackContext, wanted: Residency, place: ProviderRegion, *, urn: str = "", path: str = ""
) -> Iterator[Breach]:
    region = subject.catalog.regions.get((place.provider, place.region))
    known = region is not None and region.residency not in UNTOLD and wanted not in WIDER.get(region.residency, ())
    if region is not None and region.residency == wanted:
        return
    unknown = f"catalogs/regions.csv does not say in which country {place} lies"
    yield Breach(
        verdict=Verdict.OVER if known else Verdict.CANNOT_TELL,
        urn=urn,
        path=path,
        given=f"{place} lies in {region.country} ({region.residency})" if region and known else unknown,
        limit=_limit(wanted),
        fix=f"Choose a region in {wanted}: say where.residency in the checklist and accept an option anew",
    )


def _limit(wanted: Residency) -> str:
    return f"data may lie in {wanted} only"


RULE: Final = Rule(
    name="residency",
    title="Data residency",
    demand="Clusters, their resources and the logs they send on lie in the part of the world that the project names.",
    why="Data that leaves its jurisdiction once cannot be called back.",
    remedy="Place the stack in a region of that part of the world, or change what stacks/policies.yaml demands of it.",
    severity=Severity.CRITICAL,
    judge=_breaches,
    settings=ResidencySettings,
)
