"""Queues of a cluster, and the nodes that Slurm takes from them.

Each workload has one line of teams that lend each other what they do not use. A node belongs to Slurm or to the
queues of Kubernetes, never to both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import Orchestration
from planning.platform.accelerators import NVIDIA, SHARED, TURNS, device, slice_of, slices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.platform import Platform, TeamShare


# The surest first: what is paid anyway is filled before what is paid by the hour, and spot comes last.
ORDER: Final = ("reserved", "capacity_block", "on_demand", "flex", "spot")
NOTEBOOKS: Final = "notebooks"
OPEN: Final = "default"  # the queue of jobs that name none


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """The accelerators of a pool, as pods ask for them.

    Args:
        resource: extended resource.
        parts: how many of it one accelerator is: 1, or slices.
        total: of the working nodes.
    """

    pool: Pool
    resource: str
    parts: int

    @property
    def total(self) -> int:
        return self.pool.accelerators * self.pool.working * self.parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A team's queue for one workload.

    Args:
        nominal: guaranteed of each flavor, by pool.
        weight: its part of what is lent, against that of the other teams.
    """

    team: str
    workload: str
    nominal: dict[str, int]
    weight: int

    @property
    def name(self) -> str:
        """Name in the whole cluster."""
        # The dot keeps it apart from every workload's.
        return f"{self.team}.{self.workload}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadQueues:
    """The queues of one workload.

    Args:
        flavors: of its pools, the surest purchase first.
        queues: of its teams; where there are several, one more for jobs that name none, which has no guarantee.
        lent: of each flavor, what no team is guaranteed, by pool.
    """

    workload: str
    flavors: tuple[Flavor, ...]
    queues: tuple[Queue, ...]
    lent: dict[str, int]

    @property
    def default(self) -> Queue:
        """The queue of jobs that name none: that of the only team, or the one without a guarantee."""
        return self.queues[-1]


def in_order(pools: Iterable[Pool]) -> list[Pool]:
    """Pools, the surest purchase first, else as they were."""
    return sorted(pools, key=lambda pool: ORDER.index(pool.kind))


def has_shared_accelerators(pool: Pool, platform: Platform) -> bool:
    if platform.sharing == "none" or device(pool.accelerator) != NVIDIA:
        return False
    kinds = {work.name: work.kind for work in platform.works}
    return kinds.get(pool.workload or "") == NOTEBOOKS


def build_whole_flavor(pool: Pool) -> Flavor:
    """Whole accelerators of the pool."""
    return Flavor(pool=pool, resource=device(pool.accelerator), parts=1)


def flavor(pool: Pool, platform: Platform) -> Flavor:
    """How pods ask for the pool's accelerators.

    Raises:
        InputError: the accelerator cannot be cut into the slices that are wanted.
    """
    if not has_shared_accelerators(pool, platform):
        return build_whole_flavor(pool)
    if platform.sharing == "mig":
        parts = slices(pool.accelerator or "", platform.mig_profile)
        return Flavor(pool=pool, resource=slice_of(platform.mig_profile), parts=parts)
    return Flavor(pool=pool, resource=SHARED, parts=TURNS)


def lines(platform: Platform, pools: Sequence[Pool]) -> Iterator[WorkloadQueues]:
    """The line of each workload that teams work in, in the checklist's order."""
    of_workload: dict[str, list[TeamShare]] = {}
    for team in platform.teams:
        for workload in team.workloads:
            of_workload.setdefault(workload, []).append(team)
    with_accelerators: dict[str | None, list[Pool]] = {}
    for pool in in_order(pools):
        if pool.accelerators:
            with_accelerators.setdefault(pool.workload, []).append(pool)
    for workload, teams in of_workload.items():
        flavors = tuple(flavor(pool, platform) for pool in with_accelerators.get(workload, ()))
        queues = tuple(_queue(team, workload, flavors) for team in teams)
        if len(teams) > 1:
            none = {each.pool.name: 0 for each in flavors}
            queues += (Queue(team=OPEN, workload=workload, nominal=none, weight=1),)
        lent = {each.pool.name: each.total - sum(queue.nominal[each.pool.name] for queue in queues) for each in flavors}
        yield WorkloadQueues(workload=workload, flavors=flavors, queues=queues, lent=lent)


def namespace_quotas(pools: Iterable[Pool], platform: Platform | None) -> dict[str, dict[str, int]]:
    """Accelerators that all pods of a workload's namespace may ask for, by resource as its pods name it."""
    hard: dict[str, dict[str, int]] = {}
    for pool in pools:
        if pool.workload and device(pool.accelerator):
            asked = build_whole_flavor(pool) if platform is None else flavor(pool, platform)
            mine = hard.setdefault(pool.workload, {})
            # Of working nodes alone: a spare is for the job that lost a node, not for one job more.
            mine[asked.resource] = mine.get(asked.resource, 0) + asked.total
    return hard


def _queue(team: TeamShare, workload: str, flavors: Sequence[Flavor]) -> Queue:
    held = {quota.pool: quota.accelerators for quota in team.quotas}
    nominal = {each.pool.name: held.get(each.pool.name, 0) * each.parts for each in flavors}
    return Queue(team=team.name, workload=workload, nominal=nominal, weight=max(1, sum(nominal.values())))


# Kinds of work that Slurm starts; notebooks and services stay with Kubernetes, whatever else runs there.
KINDS: Final = frozenset({"training", "fine_tuning", "batch"})
SHARES: Final[Mapping[Orchestration, int]] = {  # of how many nodes Slurm has one
    Orchestration.SLURM: 1,
    Orchestration.BOTH: 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmShare:
    """What Slurm has of one pool.

    Args:
        nodes: at most.
        standing: of them, those that run all month anyway; the others are started by who needs them, for a worker of
            Slurm that waits for a node would keep the pool at its full size, and at its full price, for ever.
    """

    pool: Pool
    nodes: int
    standing: int


def shares(spec: ClusterSpec) -> tuple[SlurmShare, ...]:
    """Slurm's part of each pool: all working nodes, or half of them, rounded down, where Kubernetes starts jobs too."""
    if spec.platform is None:
        return ()
    kinds = {work.name: work.kind for work in spec.platform.works}
    found = (_share(pool, spec.orchestration, kinds) for pool in spec.pools)
    return tuple(share for share in found if share.nodes)


def without_slurm_nodes(
    pools: Iterable[Pool], *, kinds: Mapping[str, str], orchestration: Orchestration
) -> tuple[Pool, ...]:
    """The pools as the queues of Kubernetes see them: with the nodes that Slurm does not have.

    Args:
        kinds: of work, by the workload's name.
    """
    return tuple(
        pool.model_copy(update={"working": pool.working - _share(pool, orchestration, kinds).nodes}) for pool in pools
    )


def _share(pool: Pool, orchestration: Orchestration, kinds: Mapping[str, str]) -> SlurmShare:
    every = SHARES.get(orchestration)
    if every is None or pool.role == "system" or kinds.get(pool.workload or "") not in KINDS:
        return SlurmShare(pool=pool, nodes=0, standing=0)
    nodes = pool.working // every
    return SlurmShare(pool=pool, nodes=nodes, standing=min(nodes, pool.min_nodes // every))
