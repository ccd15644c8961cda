"""What nobody uses goes away by itself, and what is reserved stays."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from planning.costs.resources.properties import Properties
from planning.values.verdict import Verdict
from policies.breach import Breach, Severity
from policies.properties import each
from policies.rule import Rule
from policies.rules.operations.notebook_culling import CullingSettings, culling
from policies.rules.pools import (
    BUILT,
    CAPACITY,
    KARPENTER,
    OWN_POOL,
    groups,
    pool_of,
    requirements,
    spec_of,
    total,
    wanted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Resource
    from policies.stack_context import Subject

NEVER: Final = "Never"
RESERVED: Final = "reserved"
PAID_ANYWAY: Final = frozenset({"reserved", "capacity_block"})
LIMIT: Final = "a pool has a least and a most, those of the lock"
KEPT: Final = "reserved nodes are never consolidated away"
LEAVES: Final = "a node that nothing runs on leaves"


def _breaches(subject: Subject) -> Iterator[Breach]:
    if subject.whole is None:  # else the program stops short of what is inside the cluster
        yield from each(subject.of_types([OWN_POOL]), partial(_bounds, subject), limit=LIMIT)
        yield from culling(subject)
    yield from each(groups(subject), partial(_stray, subject), limit=LIMIT)
    yield from each(subject.of_types([KARPENTER]), _disruption, limit=LEAVES)


def _bounds(subject: Subject, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """A pool is held between the lock's bounds, and reaches 0 where the lock's does."""
    del inputs
    pool = pool_of(subject, resource)
    if spec_of(subject, resource).placement.target not in BUILT:
        return
    held = total(subject, resource)
    bounds = f"the lock has {pool.min_nodes} to {pool.max_nodes} nodes"
    if held.most is None or held.most > pool.max_nodes:
        given = "nothing limits its nodes" if held.most is None else f"it may grow to {held.most} nodes"
        yield _over(resource, given, limit=bounds, fix=f"Limit its node groups to {pool.max_nodes} nodes in all")
    if held.least > pool.min_nodes:
        given = f"{held.least} of its nodes run when nobody uses them"
        yield _over(resource, given, limit=bounds, fix=f"Let it shrink to {pool.min_nodes} nodes")
    if pool.kind in PAID_ANYWAY and held.least < pool.min_nodes and not _books(subject, resource):
        given = f"its reserved nodes may shrink to {held.least}, though they are paid for"
        yield _over(resource, given, limit=bounds, fix=f"Keep {pool.min_nodes} nodes at least")


def _books(subject: Subject, own: Resource) -> bool:
    """Whether Karpenter holds the pool's reserved nodes; that it keeps them is judged by how it takes nodes away."""
    mine = (Properties(each.inputs) for each in groups(subject, own) if each.type == KARPENTER)
    return any(RESERVED in wanted(requirements(each), CAPACITY) for each in mine)


def _stray(subject: Subject, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    del inputs
    if subject.registered.pool(resource) is None:
        yield Breach(
            verdict=Verdict.CANNOT_TELL,
            urn=resource.urn,
            given="its nodes belong to no pool",
            limit=LIMIT,
            fix="Build it as a pool of the lock, or take it away",
        )


def _disruption(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """How Karpenter takes nodes away again."""
    disruption = inputs.at("spec").at("disruption")
    after, path = disruption.at("consolidateAfter"), "spec.disruption.consolidateAfter"
    waits = after.text("0s")
    if RESERVED in wanted(requirements(inputs), CAPACITY):
        if waits != NEVER and not _shut(disruption):
            given = f"Karpenter takes its reserved nodes away once they are idle for {waits}"
            yield _over(resource, given, limit=KEPT, fix=f"Set consolidateAfter to {NEVER}", path=path)
    elif waits == NEVER or _shut(disruption):
        given = "Karpenter never takes its idle nodes away"
        yield _over(
            resource,
            given,
            limit=LEAVES,
            fix="Set consolidateAfter to 10m, and a budget for empty nodes",
            path=path,
        )


def _shut(disruption: Properties) -> bool:
    """Whether a budget keeps every node, whatever the reason and the hour."""
    return any(
        budget.at("nodes").text() in ("0", "0%") and not budget.at("reasons").said and not budget.at("schedule").said
        for budget in disruption.at("budgets").each()
    )


def _over(resource: Resource, given: str, *, limit: str, fix: str, path: str = "") -> Breach:
    return Breach(verdict=Verdict.OVER, urn=resource.urn, path=path, given=given, limit=limit, fix=fix)


RULE: Final = Rule(
    name="idle-controls",
    title="Idle controls",
    demand="Pools shrink and grow between the lock's bounds, reserved nodes stay, and idle notebooks are stopped.",
    why="An accelerator that nobody uses costs as much as one at work, every hour of the night.",
    remedy="Give each node group the bounds of the lock's pool, leave Karpenter's disruption as it was built, "
    "and let the culler run.",
    severity=Severity.HIGH,
    judge=_breaches,
    settings=CullingSettings,
)
