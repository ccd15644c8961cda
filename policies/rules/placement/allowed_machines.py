"""Nodes are the machines of the lock, and those that the project allows."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Final

from planning.values.verdict import Verdict
from policies.breach import Breach, Settings, Severity
from policies.properties import check_resources
from policies.rule import Rule
from policies.rules.pools import MACHINES, OWN_POOL, groups, instance_type, pool_of, spec_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.resources.resource import Properties, Resource
    from policies.stack_context import StackContext

SINGLE: Final[Mapping[str, str]] = {  # machines that stand alone: the property that says their type
    "aws:ec2/instance:Instance": "instanceType",
    "gcp:compute/instance:Instance": "machineType",
}
LIMIT: Final = "nodes are the machines of the lock's pools"


class MachineSettings(Settings):
    """Machine types and accelerators, as patterns in which "*" stands for any letters."""

    allow: tuple[str, ...] = ()
    """Machine types that pools may be of; empty: all."""
    deny: tuple[str, ...] = ()
    """Machine types that no pool may be of, whatever else is allowed."""
    allow_accelerators: tuple[str, ...] = ()
    """Accelerators that pools may have, in the catalog's names as "H100-*"; empty: all."""
    deny_accelerators: tuple[str, ...] = ()
    """Accelerators that no pool may have."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    yield from _of_lock(subject)
    yield from check_resources(subject.of_types([OWN_POOL]), partial(_own, subject), limit=LIMIT)
    yield from check_resources(groups(subject), partial(_group, subject), limit=LIMIT)
    yield from check_resources(subject.of_types(SINGLE), partial(_single, subject), limit=LIMIT)


def _of_lock(subject: StackContext) -> Iterator[Breach]:
    """Pools of the lock that the project does not allow."""
    law = subject.law.setting(MachineSettings)
    for pool in (pool for spec in subject.lock.placements for pool in spec.pools):
        named = (
            (pool.machine, law.allow, law.deny),
            (pool.accelerator or "", law.allow_accelerators, law.deny_accelerators),
        )
        for name, allow, deny in named:
            if not name or (not _fits(name, deny) and (not allow or _fits(name, allow))):
                continue
            limit = f"{', '.join(deny)} is denied" if _fits(name, deny) else f"only {', '.join(allow)} is allowed"
            yield Breach(
                verdict=Verdict.OVER,
                given=f"the nodes of pool {pool.name}, up to {pool.max_nodes}, have {name}",
                limit=f"by stacks/policies.yaml {limit}",
                fix="Accept an option on allowed machines, or let stacks/policies.yaml allow these",
            )


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _own(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """What a pool's component says of its machine, by which it is priced."""
    pool, machine = pool_of(subject, resource), inputs.at("machine").text()
    if machine != pool.machine:
        yield _wrong(resource, machine, pool.machine, path="machine")


def _group(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """Machines that are ordered."""
    own = subject.registered.pool(resource)
    pools = spec_of(subject, resource).pools if own is None else (pool_of(subject, own),)
    if any(not pool.machine for pool in pools):
        return  # the price book has none that fits, so the stack's settings name one
    wanted = [instance_type(pool.machine) for pool in pools]
    found = MACHINES[resource.type](inputs)
    if not found:
        yield _wrong(resource, "any machine", ", ".join(wanted), path="")
    for machine in found:
        if machine not in wanted:
            yield _wrong(resource, machine, ", ".join(wanted), path="")


def _single(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """Of machines that stand alone the lock has one: the VPN's gateway."""
    machine, vpn = inputs.at(SINGLE[resource.type]).text(), spec_of(subject, resource).vpn
    wanted = vpn.machine if vpn and vpn.machine else "no machine of its own"
    if machine != wanted:
        yield Breach(
            verdict=Verdict.OVER,
            urn=resource.urn,
            path=SINGLE[resource.type],
            given=f"it is a machine {machine}",
            limit=f"beside its pools the lock has {wanted}",
            fix="Take it away, or ask for the machine in the checklist",
        )


def _wrong(resource: Resource, machine: str, wanted: str, *, path: str) -> Breach:
    return Breach(
        verdict=Verdict.OVER,
        urn=resource.urn,
        path=path,
        given=f"its nodes are {machine}",
        limit=f"the lock has {wanted} there",
        fix=f"Set the machine back to {wanted}, or accept an option with the other one",
    )


RULE: Final = Rule(
    name="allowed-machines",
    title="Allowed machines",
    demand="Every node is of the machine type that the lock gives its pool, and the project allows that type.",
    why="A machine type edited in the program costs many times what was accepted, and nobody asked for it.",
    remedy="Leave machine types to the lock. For another one change the checklist and accept an option anew.",
    severity=Severity.HIGH,
    judge=_breaches,
    settings=MachineSettings,
)
