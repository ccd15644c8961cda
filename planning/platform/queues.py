"""Which queues a cluster has: for each workload one line of teams that lend each other what they do not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.platform.accelerators import NVIDIA, SHARED, TURNS, device, slice_of, slices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planning.spec.cluster import Pool
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
        """Name in the whole cluster; the dot keeps it apart from every workload's."""
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
    """Accelerators that all pods of a workload's namespace may ask for, by resource as its pods name it.

    Those of working nodes: a spare is for the job that lost a node, not for one job more.
    """
    hard: dict[str, dict[str, int]] = {}
    for pool in pools:
        if pool.workload and device(pool.accelerator):
            asked = build_whole_flavor(pool) if platform is None else flavor(pool, platform)
            mine = hard.setdefault(pool.workload, {})
            mine[asked.resource] = mine.get(asked.resource, 0) + asked.total
    return hard


def _queue(team: TeamShare, workload: str, flavors: Sequence[Flavor]) -> Queue:
    held = {quota.pool: quota.accelerators for quota in team.quotas}
    nominal = {each.pool.name: held.get(each.pool.name, 0) * each.parts for each in flavors}
    return Queue(team=team.name, workload=workload, nominal=nominal, weight=max(1, sum(nominal.values())))
