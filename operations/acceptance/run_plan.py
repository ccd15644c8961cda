"""Which jobs a run has, on which nodes, and whether it is a new one or goes on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from components.acceptance.jobs import planned, unmeasured
from operations.acceptance.result_store import Meta, runs, store_of
from planning.acceptance.report.builder import GROUPS
from planning.agents.measurement_records import BY_ID, Per
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from components.acceptance.model import PlannedJob
    from operations.acceptance.request import Asked
    from operations.acceptance.result_store import Store
    from planning.acceptance.node_limits import ExpectedPool
    from planning.spec.cluster import ClusterSpec


def jobs_of(
    spec: ClusterSpec,
    *,
    nodes: Mapping[str, Sequence[str]],
    run: str,
    only: Collection[str],
    named: Collection[str] = (),
    expected: Sequence[ExpectedPool] = (),
    peers: Sequence[str] = (),
) -> tuple[PlannedJob, ...]:
    """The jobs that were asked for.

    Args:
        named: nodes whose own jobs alone are wanted; empty for all.
        expected: what pools are held to, so that they are measured as they are judged.
        peers: "host:port" in the main network.

    Raises:
        InputError: there is nothing to measure.
    """
    wanted = {GROUPS[each] for each in only}
    found = [
        each
        for each in planned(spec, nodes=nodes, run=run, expected=expected, peers=peers)
        if not wanted or {BY_ID[check].per for check in each.checks} & wanted
    ]
    if named:
        own = {f"{Per.NODE}/{name}" for name in named}
        found = [each for each in found if each.subject in own or not each.subject.startswith(f"{Per.NODE}/")]
    if not found:
        raise InputError(
            "there is nothing to measure", hint="no node of a pool is ready, or nothing of the kind is in the lock"
        )
    return tuple(found)


def left_out(
    spec: ClusterSpec,
    *,
    nodes: Mapping[str, Sequence[str]],
    only: Collection[str],
    expected: Sequence[ExpectedPool] = (),
    peers: Sequence[str] = (),
) -> list[str]:
    """What was asked for and no job measures, and why, in words."""
    wanted = {GROUPS[each] for each in only or GROUPS}
    found = unmeasured(spec, nodes=nodes, expected=expected, peers=peers)
    return [f"{about} is not measured: {why}" for about, why in found if about.partition("/")[0] in wanted]


def longest(jobs: Sequence[PlannedJob]) -> str:
    """How long a run lasts at most: stage after stage, each as long as its longest job."""
    stages = {each.stage for each in jobs}
    seconds = sum(max(each.seconds for each in jobs if each.stage == stage) for stage in stages)
    return f"{len(jobs)} jobs in {len(stages)} stages, {seconds / 3600:.1f} h at most"


def by_the_lock(spec: ClusterSpec) -> dict[str, list[str]]:
    """Names that stand for the nodes of each pool, where no cluster is asked."""
    return {pool.name: [f"{pool.name}-{number}" for number in range(pool.max_nodes)] for pool in spec.pools}


def chosen_run(it: Asked, *, run: str, placement: str, now: datetime) -> tuple[Store, Meta]:
    """The run that is named, else the last one that has not ended, else a new one.

    Raises:
        InputError: the named one is of another lock or placement, or cannot be a name.
    """
    metas = [(name, store_of(it.folder, name).meta()) for name in runs(it.folder)]
    for name, meta in reversed(metas):
        same = (meta.placement, meta.lock_digest) == (placement, it.digest)
        if name == run and not same:
            raise InputError(
                f"the run {run} is of another lock or placement", hint="leave --run out, and a new one begins"
            )
        if same and (name == run or (not run and not meta.ended)):
            return store_of(it.folder, name), meta
    moment = now.astimezone(UTC)
    name = run or moment.strftime("%Y%m%d-%H%M%S")
    meta = Meta(
        run=name,
        stack=it.lock.stack,
        option=it.lock.option,
        placement=placement,
        lock_digest=it.digest,
        started=moment.isoformat(timespec="seconds"),
    )
    return store_of(it.folder, name), meta
