"""Not more accelerator hours run on spot machines than the project wants."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from catalogs.model import PurchaseKind
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import ZERO, round_to
from planning.values.verdict import Verdict
from policies.breach import Breach, Settings, Severity
from policies.properties import check_resources, unclear
from policies.rule import Rule
from policies.rules.pools import (
    CAPACITY,
    CKS,
    GKE,
    KARPENTER,
    MANAGED,
    OWN_POOL,
    groups,
    read_required_values,
    requirements,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.costs.resources.resource import Resource
    from policies.stack_context import StackContext

ALL: Final = Decimal(100)
EXACT: Final = Decimal("0.1")


class SpotSettings(Settings):
    """How much may run on spot machines, which their provider takes back at will."""

    most_percent: Decimal = Field(default=ALL, ge=0, le=100)
    """Node-hours of accelerator nodes on spot machines, as expected, in percent of all of theirs."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    most = subject.law.setting(SpotSettings).most_percent
    if most >= ALL:
        return
    limit = f"the project wants {most}% at most"
    spot, hours = ZERO, ZERO
    for own in subject.of_types([OWN_POOL]):
        try:
            if Properties(own.inputs).at("accelerators").number(0):
                expected = Properties(own.inputs).at("nodeHours").at("expected").number()
                hours += expected
                spot += expected if _is_spot(subject, own) else ZERO
        except UnreadableError as error:
            yield unclear(own, error, limit=limit)
    yield from _over(spot, hours, most, limit=limit)
    strays = (each for each in groups(subject) if subject.registered.pool(each) is None)
    yield from check_resources(strays, partial(_stray, limit), limit=limit)


def _over(spot: Decimal, hours: Decimal, most: Decimal, *, limit: str) -> Iterator[Breach]:
    if spot * ALL > most * hours:
        share = round_to(spot * ALL / hours, EXACT)
        yield Breach(
            verdict=Verdict.OVER,
            given=f"{share}% of the expected accelerator node-hours, {spot:.0f} of {hours:.0f} a month, are on spot",
            limit=limit,
            fix="Accept an option with fewer spot pools, such as the one without spot",
        )


def _is_spot(subject: StackContext, own: Resource) -> bool:
    """Whether a pool is declared as spot, or one of its node groups may be.

    Raises:
        UnreadableError: its purchase cannot be read, or nobody knows the word.
    """
    inputs = Properties(own.inputs)
    purchase, provider = inputs.at("purchase").text(), inputs.at("provider").text()
    term = subject.catalog.terms.get((purchase, provider)) or subject.catalog.terms.get((purchase, "*"))
    if term is None:
        raise UnreadableError(f"purchase {purchase} is not among the terms of {provider}", path="purchase")
    found = [_ORDERED[group.type](Properties(group.inputs)) for group in groups(subject, own)]
    return term.kind is PurchaseKind.SPOT or any(found)


def _stray(limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """Node groups below no pool say no hours, so nobody can tell their share."""
    if _ORDERED[resource.type](inputs):
        yield Breach(
            verdict=Verdict.CANNOT_TELL,
            urn=resource.urn,
            given="it may start spot machines, and no pool above it says for how many hours",
            limit=limit,
            fix="Build it as a pool of the lock, or take it away",
        )


_ORDERED: Final[Mapping[str, Callable[[Properties], bool]]] = {
    MANAGED: lambda inputs: inputs.at("capacityType").text("ON_DEMAND") == "SPOT",
    KARPENTER: lambda inputs: "spot" in read_required_values(requirements(inputs), CAPACITY),
    GKE: lambda inputs: (
        inputs.at("nodeConfig").at("spot").flag(default=False)
        or inputs.at("nodeConfig").at("preemptible").flag(default=False)
    ),
    CKS: lambda inputs: inputs.at("spec").at("computeClass").text("default") == "spot",
}

RULE: Final = Rule(
    name="spot-share",
    title="Spot share",
    demand="Not more of the expected accelerator hours run on spot machines than the project wants.",
    why="A provider takes spot machines back within minutes, in the worst case all of them at once.",
    remedy="Accept an option with less spot, or forbid spot for a workload in the checklist.",
    severity=Severity.MEDIUM,
    judge=_breaches,
    settings=SpotSettings,
)
