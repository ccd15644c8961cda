"""Rules about the bounds of pools: spare nodes, idle nodes and idle notebooks."""

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
    least_percent: Decimal = Field(default=Decimal(0), ge=0, le=100)
    """Least number of spare nodes of a multi-node pool with a fabric, in percent of its working nodes."""


def _judge_spares(subject: StackContext) -> Iterator[Breach]:
    yield from _of_lock(subject)
    if (
        subject.whole is None
    ):  # else the program does not register what is inside the cluster, such as Karpenter's pools
        yield from check_resources(subject.of_types([OWN_POOL]), partial(_check_room, subject), limit=ROOM)
        yield from _find_missing_pools(subject)


def _of_lock(subject: StackContext) -> Iterator[Breach]:
    least = subject.law.get(SpareSettings).least_percent
    for pool in (pool for spec in subject.lock.placements for pool in spec.pools if _uses_fabric(pool)):
        if pool.spares * 100 < least * pool.working:
            yield Breach(
                verdict=Verdict.OVER,
                given=f"pool {pool.name} has {_nodes(pool.spares, 'spare')} to {_nodes(pool.working, 'working')}",
                limit=f"the project requires {least}% spares",
                fix="Raise the spare share in the checklist and accept an option again",
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
            given=f"its node groups can grow to {most} nodes at most",
            limit=f"the lock has {_nodes(pool.working, 'working')} and {_nodes(pool.spares, 'spare')}",
            fix=f"Allow its node groups {needed} nodes",
        )


def _find_missing_pools(subject: StackContext) -> Iterator[Breach]:
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
                    given=f"pool {pool.name} of cluster {spec.placement.name} is missing",
                    limit=f"the lock has {_nodes(pool.working + pool.spares, 'of its')}",
                    fix=f"Restore pool {pool.name}, or accept an option without it",
                )


def _list_registered_pools(subject: StackContext) -> Iterator[tuple[str, str]]:
    """Cluster and pool of each pool's component that can be read."""
    for own in subject.of_types([OWN_POOL]):
        # Another rule reports it; here it would only be said twice.
        with suppress(UnreadableError):
            yield spec_of(subject, own).placement.name, pool_of(subject, own).name


def _nodes(count: int, kind: str) -> str:
    return f"{count} {kind} {'node' if count == 1 else 'nodes'}"


SPARES: Final = Rule(
    name="spares",
    title="Spare nodes",
    demand="Every pool of accelerators has room for its working nodes and its spares.",
    why="Without a spare, one broken node stops a job that needs all of them.",
    remedy="Allow each node group the nodes that the lock counts, or request more spares in the checklist.",
    severity=Severity.MEDIUM,
    judge=_judge_spares,
    settings=SpareSettings,
)


DEPLOYMENT: Final = "kubernetes:apps/v1:Deployment"
CULLER: Final = "atoll-culler"
NOTEBOOKS: Final = "notebooks"  # the platform part that offers every IDE
MINUTES: Final = "IDLE_MINUTES"


class CullingSettings(Settings):
    most_idle_minutes: int | None = Field(default=None, ge=1)
    """Minutes after which an idle notebook is stopped at the latest; default: as the checklist says."""


def culling(subject: StackContext) -> Iterator[Breach]:
    most = subject.law.get(CullingSettings).most_idle_minutes
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
        fix=f"Restore the deployment {CULLER} of the platform component notebooks",
    )


def _check_culler(most: int, limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    spec = inputs.at("spec")
    if not spec.at("replicas").number(1):
        yield over(
            resource,
            "spec.replicas",
            given="it has 0 replicas",
            limit=limit,
            fix="Set spec.replicas to 1",
        )
    for container in spec.at("template").at("spec").at("containers").each():
        for variable in container.at("env").each():
            if variable.at("name").text() == MINUTES:
                yield from _minutes(resource, variable.at("value"), most, limit)
                return
    raise UnreadableError(f"{MINUTES} is not set", path="spec.template.spec.containers")


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
LIMIT: Final = "a pool stays between the lock's fewest and most nodes"
KEPT: Final = "reserved nodes are never removed when idle"
LEAVES: Final = "an empty node is removed"


def _judge_idle(subject: StackContext) -> Iterator[Breach]:
    if subject.whole is None:  # else the program does not register what is inside the cluster
        yield from check_resources(subject.of_types([OWN_POOL]), partial(_bounds, subject), limit=LIMIT)
        yield from culling(subject)
    yield from check_resources(groups(subject), partial(_stray, subject), limit=LIMIT)
    yield from check_resources(subject.of_types([KARPENTER]), _disruption, limit=LEAVES)


def _bounds(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
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
        given = f"{held.least} of its nodes keep running when idle"
        yield over(resource, given=given, limit=bounds, fix=f"Allow it to shrink to {pool.min_nodes} nodes")
    if pool.kind in PAID_ANYWAY and held.least < pool.min_nodes and not _books(subject, resource):
        given = f"its reserved nodes may shrink to {held.least}, though they are paid for"
        yield over(resource, given=given, limit=bounds, fix=f"Keep {pool.min_nodes} nodes at least")


def _books(subject: StackContext, own: Resource) -> bool:
    """Whether Karpenter holds the pool's reserved nodes; `_disruption` checks that it keeps them."""
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
            fix="Build it as a pool of the lock, or remove it",
        )


def _disruption(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    disruption = inputs.at("spec").at("disruption")
    after, path = disruption.at("consolidateAfter"), "spec.disruption.consolidateAfter"
    waits = after.text("0s")
    if RESERVED in read_required_values(requirements(inputs), CAPACITY):
        if waits != NEVER and not _keeps_every_node(disruption):
            given = f"Karpenter removes its reserved nodes once they are idle for {waits}"
            yield over(resource, given=given, limit=KEPT, fix=f"Set consolidateAfter to {NEVER}", path=path)
    elif waits == NEVER or _keeps_every_node(disruption):
        given = "Karpenter never removes its idle nodes"
        yield over(
            resource,
            given=given,
            limit=LEAVES,
            fix="Set consolidateAfter to 10m, and a budget for empty nodes",
            path=path,
        )


def _keeps_every_node(disruption: Properties) -> bool:
    """Whether a budget forbids any removal, whatever the reason and the hour."""
    return any(
        budget.at("nodes").text() in ("0", "0%") and not budget.at("reasons").said and not budget.at("schedule").said
        for budget in disruption.at("budgets").each()
    )


IDLE_CONTROLS: Final = Rule(
    name="idle-controls",
    title="Idle controls",
    demand="Pools shrink and grow between the lock's bounds, reserved nodes stay, and idle notebooks are stopped.",
    why="An idle accelerator costs as much as a busy one, every hour.",
    remedy="Set each node group to the bounds of the lock's pool, keep Karpenter's disruption settings as generated, "
    "and keep the notebook culler running.",
    severity=Severity.HIGH,
    judge=_judge_idle,
    settings=CullingSettings,
)
