"""Rules about the bounds of pools: spare nodes, and nodes and notebooks that nobody uses."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from catalogs.providers import find_traits
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.verdict import Verdict
from policies.properties import check_resources, over, unclear
from policies.rule import Breach, Rule, Severity
from policies.rules.pools import (
    CAPACITY,
    KARPENTER,
    OWN_POOL,
    groups,
    pool_of,
    read_required_values,
    requirements,
    spec_of,
    total,
)
from policies.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Resource
    from planning.spec.cluster import ClusterSpec, Pool
    from policies.stack_context import StackContext

GPU: Final = "gpu"
NO_FABRIC: Final = "ethernet"
ROOM: Final = "each pool of accelerators has room for its working nodes and its spares"


class SpareSettings(Settings):
    """How many spares are wanted."""

    least_percent: Decimal = Field(default=Decimal(0), ge=0, le=100)
    """Spare nodes of a pool whose nodes work as one over a fabric, in percent of its working nodes."""


def _judge_spares(subject: StackContext) -> Iterator[Breach]:
    yield from _of_lock(subject)
    if subject.whole is None:  # else the program stops short of what is inside the cluster, as Karpenter's pools
        yield from check_resources(subject.of_types([OWN_POOL]), partial(_check_room, subject), limit=ROOM)
        yield from _find_missing_pools(subject)


def _of_lock(subject: StackContext) -> Iterator[Breach]:
    """Pools that were accepted with fewer spares than the project wants."""
    least = subject.law.setting(SpareSettings).least_percent
    for pool in (pool for spec in subject.lock.placements for pool in spec.pools if _uses_fabric(pool)):
        if pool.spares * 100 < least * pool.working:
            yield Breach(
                verdict=Verdict.OVER,
                given=f"pool {pool.name} has {_nodes(pool.spares, 'spare')} to {_nodes(pool.working, 'working')}",
                limit=f"the project wants spares of {least}% at least",
                fix="Raise the spare share in the checklist and accept an option anew",
            )


def _uses_fabric(pool: Pool) -> bool:
    return pool.role == GPU and pool.fabric != NO_FABRIC and pool.working > 1


def _check_room(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    del inputs
    pool = pool_of(subject, resource)
    if pool.role != GPU or not find_traits(spec_of(subject, resource).placement.target).builder:
        return
    most = total(subject, resource).most
    needed = pool.working + pool.spares
    if most is not None and most < needed:
        yield over(
            resource,
            given=f"its node groups hold no more than {most}",
            limit=f"the lock counts {_nodes(pool.working, 'working')} and {_nodes(pool.spares, 'spare')}",
            fix=f"Let its node groups grow to {needed} nodes",
        )


def _find_missing_pools(subject: StackContext) -> Iterator[Breach]:
    """Pools of the lock that nothing registers."""
    known = set(_list_registered_pools(subject))
    for spec in subject.lock.placements:
        for pool in spec.pools:
            if (
                find_traits(spec.placement.target).builder
                and pool.role == GPU
                and (spec.placement.name, pool.name) not in known
            ):
                yield Breach(
                    verdict=Verdict.OVER,
                    given=f"pool {pool.name} of cluster {spec.placement.name} is not there",
                    limit=f"the lock counts {_nodes(pool.working + pool.spares, 'of its nodes')}",
                    fix=f"Build pool {pool.name} again, or accept an option without it",
                )


def _list_registered_pools(subject: StackContext) -> Iterator[tuple[str, str]]:
    """Cluster and pool of each pool's component; one that cannot be read was judged already."""
    for own in subject.of_types([OWN_POOL]):
        with suppress(UnreadableError):
            yield spec_of(subject, own).placement.name, pool_of(subject, own).name


def _nodes(count: int, kind: str) -> str:
    return f"{count} {kind} {'node' if count == 1 else 'nodes'}"


SPARES: Final = Rule(
    name="spares",
    title="Spare nodes",
    demand="Every pool of accelerators has room for its working nodes and its spares.",
    why="Without a spare, one broken node stops a job that needs all of them.",
    remedy="Let the node groups hold as many nodes as the lock counts, or ask for more spares in the checklist.",
    severity=Severity.MEDIUM,
    judge=_judge_spares,
    settings=SpareSettings,
)


DEPLOYMENT: Final = "kubernetes:apps/v1:Deployment"
CULLER: Final = "atoll-culler"
NOTEBOOKS: Final = "notebooks"  # the platform part that offers every IDE
MINUTES: Final = "IDLE_MINUTES"


class CullingSettings(Settings):
    """When a notebook counts as idle."""

    most_idle_minutes: int | None = Field(default=None, ge=1)
    """Longest that an idle notebook may run on; without it, as long as the checklist says."""


def culling(subject: StackContext) -> Iterator[Breach]:
    """Clusters that offer notebooks and let idle ones run."""
    most = subject.law.setting(CullingSettings).most_idle_minutes
    for spec in subject.lock.placements:
        if spec.platform is None or spec.platform.part(NOTEBOOKS) is None:
            continue
        limit = f"an idle notebook is stopped after {most or spec.platform.idle_minutes} minutes"
        cullers: list[Resource] = []
        for resource in subject.of_types([DEPLOYMENT]):
            try:
                if resource.name == CULLER and spec_of(subject, resource) == spec:
                    cullers.append(resource)
            except UnreadableError as error:
                yield unclear(resource, error, limit=limit)
        if not cullers:
            yield _report_missing_culler(spec, limit)
        yield from check_resources(
            cullers, partial(_check_culler, most or spec.platform.idle_minutes, limit), limit=limit
        )


def _report_missing_culler(spec: ClusterSpec, limit: str) -> Breach:
    ides = " and ".join(spec.ides) or "notebooks"
    return Breach(
        verdict=Verdict.OVER,
        given=f"nothing stops idle notebooks of cluster {spec.placement.name}, which offers {ides}",
        limit=limit,
        fix=f"Build the deployment {CULLER} again, which is a part of the platform's notebooks",
    )


def _check_culler(most: int, limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    spec = inputs.at("spec")
    if not spec.at("replicas").number(1):
        yield over(
            resource,
            "spec.replicas",
            given="it runs 0 times",
            limit=limit,
            fix="Let it run once",
        )
    for container in spec.at("template").at("spec").at("containers").each():
        for variable in container.at("env").each():
            if variable.at("name").text() == MINUTES:
                yield from _minutes(resource, variable.at("value"), most, limit)
                return
    raise UnreadableError(f"{MINUTES} is not said", path="spec.template.spec.containers")


def _minutes(resource: Resource, value: Properties, most: int, limit: str) -> Iterator[Breach]:
    if value.number() > most:
        yield over(
            resource,
            value.path,
            given=f"it waits {value.number()} minutes",
            limit=limit,
            fix=f"Set {MINUTES} to {most}",
        )


NEVER: Final = "Never"
RESERVED: Final = "reserved"
PAID_ANYWAY: Final = frozenset({"reserved", "capacity_block"})
LIMIT: Final = "a pool has a least and a most, those of the lock"
KEPT: Final = "reserved nodes are never consolidated away"
LEAVES: Final = "a node that nothing runs on leaves"


def _judge_idle(subject: StackContext) -> Iterator[Breach]:
    if subject.whole is None:  # else the program stops short of what is inside the cluster
        yield from check_resources(subject.of_types([OWN_POOL]), partial(_bounds, subject), limit=LIMIT)
        yield from culling(subject)
    yield from check_resources(groups(subject), partial(_stray, subject), limit=LIMIT)
    yield from check_resources(subject.of_types([KARPENTER]), _disruption, limit=LEAVES)


def _bounds(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """A pool is held between the lock's bounds, and reaches 0 where the lock's does."""
    del inputs
    pool = pool_of(subject, resource)
    if not find_traits(spec_of(subject, resource).placement.target).builder:
        return
    held = total(subject, resource)
    bounds = f"the lock has {pool.min_nodes} to {pool.max_nodes} nodes"
    if held.most is None or held.most > pool.max_nodes:
        given = "nothing limits its nodes" if held.most is None else f"it may grow to {held.most} nodes"
        yield over(resource, given=given, limit=bounds, fix=f"Limit its node groups to {pool.max_nodes} nodes in all")
    if held.least > pool.min_nodes:
        given = f"{held.least} of its nodes run when nobody uses them"
        yield over(resource, given=given, limit=bounds, fix=f"Let it shrink to {pool.min_nodes} nodes")
    if pool.kind in PAID_ANYWAY and held.least < pool.min_nodes and not _books(subject, resource):
        given = f"its reserved nodes may shrink to {held.least}, though they are paid for"
        yield over(resource, given=given, limit=bounds, fix=f"Keep {pool.min_nodes} nodes at least")


def _books(subject: StackContext, own: Resource) -> bool:
    """Whether Karpenter holds the pool's reserved nodes; that it keeps them is judged by how it takes nodes away."""
    mine = (Properties(each.inputs) for each in groups(subject, own) if each.type == KARPENTER)
    return any(RESERVED in read_required_values(requirements(each), CAPACITY) for each in mine)


def _stray(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    del inputs
    if subject.registered.pool(resource) is None:
        yield Breach(
            verdict=Verdict.UNDETERMINED,
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
    if RESERVED in read_required_values(requirements(inputs), CAPACITY):
        if waits != NEVER and not _shut(disruption):
            given = f"Karpenter takes its reserved nodes away once they are idle for {waits}"
            yield over(resource, given=given, limit=KEPT, fix=f"Set consolidateAfter to {NEVER}", path=path)
    elif waits == NEVER or _shut(disruption):
        given = "Karpenter never takes its idle nodes away"
        yield over(
            resource,
            given=given,
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


IDLE_CONTROLS: Final = Rule(
    name="idle-controls",
    title="Idle controls",
    demand="Pools shrink and grow between the lock's bounds, reserved nodes stay, and idle notebooks are stopped.",
    why="An accelerator that nobody uses costs as much as one at work, every hour of the night.",
    remedy="Give each node group the bounds of the lock's pool, leave Karpenter's disruption as it was built, "
    "and let the culler run.",
    severity=Severity.HIGH,
    judge=_judge_idle,
    settings=CullingSettings,
)
