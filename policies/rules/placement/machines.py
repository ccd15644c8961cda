"""Rules about machines: allowed types, and the share of spot."""

from __future__ import annotations

from decimal import Decimal
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from catalogs.model import PurchaseKind
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import ZERO, round_to
from planning.values.verdict import Verdict
from policies.properties import check_resources, over, unclear
from policies.rule import Breach, Rule, Severity
from policies.rules.pools import (
    CAPACITY,
    CKS,
    GKE,
    KARPENTER,
    MANAGED,
    OWN_POOL,
    groups,
    instance_type,
    pool_of,
    read_machines,
    read_required_values,
    requirements,
    spec_of,
)
from policies.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.costs.resources.resource import Resource
    from policies.stack_context import StackContext

SINGLE: Final[Mapping[str, str]] = {  # machines outside a pool: the property with their type
    "aws:ec2/instance:Instance": "instanceType",
    "gcp:compute/instance:Instance": "machineType",
}
LIMIT: Final = "nodes are the machines of the lock's pools"


class MachineSettings(Settings):
    """Machine types and accelerators, as patterns in which "*" matches any text."""

    allow: tuple[str, ...] = ()
    """Machine types that pools may use; empty: all."""
    deny: tuple[str, ...] = ()
    """Machine types that no pool may use, whatever else is allowed."""
    allow_accelerators: tuple[str, ...] = ()
    """Accelerators that pools may have, by their names in the catalog ("H100-*"); empty: all."""
    deny_accelerators: tuple[str, ...] = ()
    """Accelerators that no pool may have."""


def _judge_machines(subject: StackContext) -> Iterator[Breach]:
    yield from _of_lock(subject)
    yield from check_resources(subject.of_types([OWN_POOL]), partial(_own, subject), limit=LIMIT)
    yield from check_resources(groups(subject), partial(_group, subject), limit=LIMIT)
    yield from check_resources(subject.of_types(SINGLE), partial(_single, subject), limit=LIMIT)


def _of_lock(subject: StackContext) -> Iterator[Breach]:
    law = subject.law.get(MachineSettings)
    for pool in (pool for spec in subject.lock.placements for pool in spec.pools):
        named = (
            (pool.machine, law.allow, law.deny),
            (pool.accelerator or "", law.allow_accelerators, law.deny_accelerators),
        )
        for name, allow, deny in named:
            if not name or (not _fits(name, deny) and (not allow or _fits(name, allow))):
                continue
            limit = f"denies {', '.join(deny)}" if _fits(name, deny) else f"allows only {', '.join(allow)}"
            yield Breach(
                verdict=Verdict.OVER,
                given=f"pool {pool.name} uses {name} on up to {pool.max_nodes} nodes",
                limit=f"stacks/policies.yaml {limit}",
                fix="Accept an option on allowed machines, or let stacks/policies.yaml allow these",
            )


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _own(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    # The component's machine is what the pool is priced by.
    pool, machine = pool_of(subject, resource), inputs.at("machine").text()
    if machine != pool.machine:
        yield _wrong(resource, machine, pool.machine, path="machine")


def _group(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    own = subject.registered.pool(resource)
    pools = spec_of(subject, resource).pools if own is None else (pool_of(subject, own),)
    if any(not pool.machine for pool in pools):
        return  # no machine of the price list fits, so the stack's settings name one
    wanted = [instance_type(pool.machine) for pool in pools]
    found = read_machines(resource, inputs)
    if not found:
        yield _wrong(resource, "any machine", ", ".join(wanted), path="")
    for machine in found:
        if machine not in wanted:
            yield _wrong(resource, machine, ", ".join(wanted), path="")


def _single(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    # The lock has one machine outside the pools: the VPN's gateway.
    machine, vpn = inputs.at(SINGLE[resource.type]).text(), spec_of(subject, resource).vpn
    wanted = vpn.machine if vpn and vpn.machine else "no machine of its own"
    if machine != wanted:
        yield over(
            resource,
            SINGLE[resource.type],
            given=f"it is a machine {machine}",
            limit=f"outside its pools the lock has {wanted}",
            fix="Remove it, or request the machine in the checklist",
        )


def _wrong(resource: Resource, machine: str, wanted: str, *, path: str) -> Breach:
    return over(
        resource,
        path,
        given=f"its nodes are {machine}",
        limit=f"the lock has {wanted} there",
        fix=f"Set the machine back to {wanted}, or accept an option with the other one",
    )


ALLOWED_MACHINES: Final = Rule(
    name="allowed-machines",
    title="Allowed machines",
    demand="Every node is of the machine type that the lock gives its pool, and the project allows that type.",
    why="A machine type edited in the program can cost many times what was accepted.",
    remedy="Leave machine types to the lock. For another one change the checklist and accept an option again.",
    severity=Severity.HIGH,
    judge=_judge_machines,
    settings=MachineSettings,
)


ALL: Final = Decimal(100)
EXACT: Final = Decimal("0.1")


class SpotSettings(Settings):
    """How much may run on spot machines, which their provider may reclaim at any time."""

    most_percent: Decimal = Field(default=ALL, ge=0, le=100)
    """Expected accelerator node-hours on spot machines, in percent of all accelerator node-hours."""


def _judge_spot(subject: StackContext) -> Iterator[Breach]:
    most = subject.law.get(SpotSettings).most_percent
    if most >= ALL:
        return
    limit = f"the project allows {most}% at most"
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
        UnreadableError: its purchase cannot be read or is unknown.
    """
    inputs = Properties(own.inputs)
    purchase, provider = inputs.at("purchase").text(), inputs.at("provider").text()
    term = subject.catalog.terms.get((purchase, provider)) or subject.catalog.terms.get((purchase, "*"))
    if term is None:
        raise UnreadableError(f"purchase {purchase} is not among the terms of {provider}", path="purchase")
    found = [_ORDERED[group.type](Properties(group.inputs)) for group in groups(subject, own)]
    return term.kind is PurchaseKind.SPOT or any(found)


def _stray(limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    # A node group outside any pool states no hours, so its share is undetermined.
    if _ORDERED[resource.type](inputs):
        yield Breach(
            verdict=Verdict.UNDETERMINED,
            urn=resource.urn,
            given="it may start spot machines, and belongs to no pool that states their hours",
            limit=limit,
            fix="Build it as a pool of the lock, or remove it",
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

SPOT_SHARE: Final = Rule(
    name="spot-share",
    title="Spot share",
    demand="The share of expected accelerator hours on spot machines is within the project's limit.",
    why="A provider reclaims spot machines within minutes, in the worst case all of them at once.",
    remedy="Accept an option with less spot, or forbid spot for a workload in the checklist.",
    severity=Severity.MEDIUM,
    judge=_judge_spot,
    settings=SpotSettings,
)
