"""The nodes of a handbook, and the namespaces that people work in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.context.names import namespace, workloads
from planning.costs.node_prices import node_prices
from planning.platform.queues import OPEN, flavor, lines, namespace_quotas, without_slurm_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from planning.platform.queues import WorkloadQueues
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock import Lock
    from planning.spec.platform import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePoolFacts:
    """Equal nodes.

    Args:
        accelerator: name in the catalog; "" for none.
        accelerator_gb: memory of one; None where the catalog does not know it.
        per_node: accelerators of a node.
        resource: what pods ask for; "" for none.
        parts: how many of that resource one accelerator is.
        nodes: working ones at the peak.
        least: nodes that always run.
        most: with spares.
        kind: word of the lock for how it is bought.
        nvme_gb: local disks of a node; None for none.
        usd_per_hour: of a node by the accepted bill; None where it has no price.
        chosen: whether pods can name the pool by the label of its nodes.
    """

    name: str
    role: str
    workload: str
    machine: str
    accelerator: str
    accelerator_gb: int | None
    per_node: int
    resource: str
    parts: int
    nodes: int
    spares: int
    least: int
    most: int
    kind: str
    vcpus: int | None
    memory_gib: Decimal | None
    nvme_gb: int | None
    fabric: str
    usd_per_hour: Decimal | None
    chosen: bool

    @property
    def asks(self) -> int:
        """What a pod asks for to have a whole node's accelerators."""
        return self.per_node * self.parts


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFacts:
    """A queue as a job names it.

    Args:
        guaranteed: of each pool's resource, by pool.
        usd_per_month: the team's budget; None where the checklist names none.
    """

    team: str
    guaranteed: Mapping[str, int]
    usd_per_month: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFacts:
    """A workload and the namespace that people work in for it.

    Args:
        quota: of the namespace, by resource.
        default: team whose queue takes jobs that name none; "default" for the one without a guarantee.
    """

    workload: str
    namespace: str
    kind: str
    frameworks: tuple[str, ...]
    spot: bool
    pools: tuple[NodePoolFacts, ...]
    teams: tuple[str, ...]
    queues: tuple[QueueFacts, ...]
    default: str
    quota: Mapping[str, int]

    @property
    def pool(self) -> NodePoolFacts | None:
        """The pool that jobs are shown with: the first with accelerators, else the first."""
        return next((each for each in self.pools if each.resource), self.pools[0] if self.pools else None)

    @property
    def queue(self) -> str:
        return self.queues[0].team if self.queues else self.default


def pools(lock: Lock, catalog: Catalog) -> tuple[NodePoolFacts, ...]:
    """Every pool of the primary placement."""
    spec = lock.spec
    beside = [each.placement.name for each in lock.placements[1:]]
    prices = node_prices(lock.bill, beside=beside, binds=lock.ceiling.binds).usd_per_hour
    return tuple(
        NodePoolFacts(
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


def homes(lock: Lock, listed: Sequence[NodePoolFacts]) -> tuple[HomeFacts, ...]:
    spec = lock.spec
    platform = spec.platform
    if platform is None:
        return ()
    queued = without_slurm_nodes(
        spec.pools, kinds={work.name: work.kind for work in platform.works}, orchestration=spec.orchestration
    )
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
    workload: str,
    *,
    platform: Platform,
    line: WorkloadQueues | None,
    mine: tuple[NodePoolFacts, ...],
    quota: dict[str, int],
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


def _queues(line: WorkloadQueues, platform: Platform) -> tuple[QueueFacts, ...]:
    """The teams' queues, without the one that has no guaranteed quota."""
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
