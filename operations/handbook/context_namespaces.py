"""The nodes of a handbook, and the namespaces that people work in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.context.names import namespace, workloads
from operations.handbook.node_facts import HomeFacts, PoolFacts, QueueFacts
from planning.costs.node_prices import node_prices
from planning.platform.queues import OPEN, flavor, lines, namespace_quotas
from planning.platform.slurm import left

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalogs.catalog import Catalog
    from planning.platform.queues import Line
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock import Lock
    from planning.spec.platform import Platform


def pools(lock: Lock, catalog: Catalog) -> tuple[PoolFacts, ...]:
    """Every pool at home."""
    spec = lock.spec
    beside = [each.placement.name for each in lock.placements[1:]]
    prices = node_prices(lock.bill, beside=beside, binds=lock.ceiling.binds).usd_per_hour
    return tuple(
        PoolFacts(
            name=pool.name,
            role=pool.role,
            workload=pool.workload or "",
            machine=pool.machine,
            accelerator=pool.accelerator or "",
            accelerator_gb=_memory(pool, catalog),
            per_node=pool.accelerators,
            resource=_flavor(pool, spec)[0],
            parts=_flavor(pool, spec)[1],
            nodes=pool.working,
            spares=pool.spares,
            least=pool.min_nodes,
            most=pool.max_nodes,
            kind=pool.kind,
            vcpus=pool.vcpus,
            memory_gib=pool.memory_gib,
            nvme_gb=pool.local_nvme_gb or None,
            fabric=pool.fabric,
            usd_per_hour=prices.get(pool.name),
            chosen=spec.existing is None,
        )
        for pool in spec.pools
    )


def homes(lock: Lock, listed: Sequence[PoolFacts]) -> tuple[HomeFacts, ...]:
    """One for each workload that has nodes at home."""
    spec = lock.spec
    platform = spec.platform
    if platform is None:
        return ()
    queued = left(spec.pools, kinds={work.name: work.kind for work in platform.works}, orchestration=spec.orchestration)
    found = {line.workload: line for line in lines(platform, queued)}
    quotas = namespace_quotas(spec.pools, platform)
    return tuple(
        _home(
            workload,
            platform=platform,
            line=found.get(workload),
            mine=tuple(pool for pool in listed if pool.workload == workload),
            quota=quotas.get(workload, {}),
        )
        for workload in workloads(spec)
    )


def _home(
    workload: str, *, platform: Platform, line: Line | None, mine: tuple[PoolFacts, ...], quota: dict[str, int]
) -> HomeFacts:
    work = next((each for each in platform.works if each.name == workload), None)
    return HomeFacts(
        workload=workload,
        namespace=namespace(workload),
        kind="" if work is None else work.kind,
        frameworks=() if work is None else work.frameworks,
        spot=work is not None and work.spot,
        pools=mine,
        teams=tuple(team.name for team in platform.teams if workload in team.workloads),
        queues=() if line is None else _queues(line, platform),
        default=OPEN if line is None else line.default.team,
        quota=quota,
    )


def _queues(line: Line, platform: Platform) -> tuple[QueueFacts, ...]:
    """Those of the teams, without the one that nobody is guaranteed anything in."""
    money = {team.name: team.usd_per_month for team in platform.teams}
    return tuple(
        QueueFacts(team=queue.team, guaranteed=queue.nominal, usd_per_month=money.get(queue.team))
        for queue in line.queues
        if queue.team in money
    )


def _memory(pool: Pool, catalog: Catalog) -> int | None:
    found = catalog.accelerators.get(pool.accelerator or "")
    return None if found is None else found.memory_gb


def _flavor(pool: Pool, spec: ClusterSpec) -> tuple[str, int]:
    """How pods ask for the pool's accelerators: the resource, and how many of it one accelerator is."""
    if spec.platform is None or not pool.accelerators:
        return "", 1
    found = flavor(pool, spec.platform)
    return found.resource, found.parts
