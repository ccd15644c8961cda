"""One acceptance run on a cluster: which jobs it has, their measurement, and the removal of their objects."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from components.acceptance.job_context import NAMESPACE
from components.acceptance.jobs import foundation
from components.acceptance.model import Reference
from operations.acceptance import run_plan as placed
from operations.acceptance.records import read_burn_in_records
from operations.acceptance.result_store import build_results, merge_records
from operations.acceptance.run_lock import Hold
from operations.acceptance.run_plan import explain_unmeasured, jobs_of, longest, name_lock_nodes, select_run
from operations.acceptance.runner import AcceptanceRun, take_down
from operations.clouds.kubernetes.objects import ClusterError, kubeconfig_source
from operations.project.signals import until_stopped
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from components.acceptance.model import Manifest, PlannedJob
    from operations.acceptance.kubernetes_cluster import AcceptanceCluster, NodeSnapshot
    from operations.acceptance.request import AcceptanceRequest
    from operations.acceptance.run_lock import Clock
    from planning.agents.measurement_records import MeasurementRecord, Results
    from planning.spec.cluster import ClusterSpec

MADE = "atoll/made-for-acceptance"
HOME = Reference(api_version="v1", kind="Namespace", name=NAMESPACE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for at the command line."""

    only: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    placement: str = ""
    run: str = ""
    while_working: bool = False
    keep: bool = False
    timeout: int | None = None
    peers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What a run would make.

    Args:
        remarks: what was asked for and would not be measured.
        unset: the variable that names no kubeconfig, so that nodes are named by the lock; "" where a cluster was asked.
    """

    jobs: tuple[PlannedJob, ...]
    remarks: tuple[str, ...]
    unset: str = ""


def open_placement(spec: ClusterSpec) -> AcceptanceCluster:
    """The cluster of a placement.

    Raises:
        ClusterError: no kubeconfig is named, or it cannot be opened.
    """
    from operations.acceptance.kubernetes_cluster import open_acceptance_cluster  # noqa: PLC0415 - the client, once a cluster is asked

    return open_acceptance_cluster(spec)


def list_planned_jobs(
    it: AcceptanceRequest, options: Options, *, now: datetime, cluster: AcceptanceCluster | None = None
) -> RunPlan:
    """The jobs that a run would have, and make none; by the lock where no kubeconfig is named."""
    spec = it.find_spec(options.placement)
    variable = kubeconfig_source(spec).variable
    there = cluster or (open_placement(spec) if os.environ.get(variable) else None)
    found = placed.by_pool(spec, there.list_nodes()) if there is not None else name_lock_nodes(spec)
    _, meta = select_run(it, run=options.run, placement=spec.placement.name, now=now)
    nodes = placed.select_nodes(found, options.nodes)
    jobs = _jobs(it, options, nodes=nodes, run=meta.run)
    remarks = tuple(_silent(it, options, nodes=nodes))
    return RunPlan(jobs=jobs, remarks=remarks, unset="" if there is not None else variable)


def measure(
    it: AcceptanceRequest,
    options: Options,
    *,
    say: Callable[[str], None],
    clock: Clock,
    cluster: AcceptanceCluster | None = None,
) -> tuple[int, Results, list[str]]:
    """Run what is asked: 0 or the exit code of the signal that stopped it, what is recorded, what did not end well.

    Args:
        say: told what is going on, partly in the words of pods and of the cluster; makes them harmless to a terminal.

    Raises:
        InputError: nothing to measure, no such node, or nodes are at work.
        ClusterError: the cluster refuses or does not answer.
    """
    spec = it.find_spec(options.placement)
    there = cluster or open_placement(spec)
    seen = there.list_nodes()
    found = placed.select_nodes(placed.match_lock_pools(spec, seen), options.nodes)
    store, meta = select_run(it, run=options.run, placement=spec.placement.name, now=clock.now())
    jobs = _jobs(it, options, nodes=found, run=meta.run)
    if not options.while_working:
        _refuse_work(seen, jobs, found)
    if shut := ", ".join(placed.find_cordoned_nodes(seen, jobs)):
        raise InputError(f"{shut}: cordoned, and the jobs would not be put there", hint="uncordon them first")
    absent = tuple(f"node {name}: not ready, so it was not measured" for name in placed.list_not_ready(seen))
    meta = replace(meta, nodes=tuple(sorted(name for mine in found.values() for name in mine)), ended="")
    run = AcceptanceRun(
        cluster=there, store=store, meta=meta, clock=clock, say=say, timeout=options.timeout, keep=options.keep
    )
    with store.lock():
        store.write_meta(meta)
        say(f"run {meta.run}: {longest(jobs)}; records go to {store.results}")
        stopped = until_stopped(
            lambda: _run(run, jobs, spec=spec), told=lambda: say(f"stopped; run it again, and {meta.run} goes on")
        )
        if stopped:
            return stopped, build_results(run.meta, store.read_records()), []
        records, waiting = read_burn_in_records(
            there, seen=seen, pools=found, placement=spec.placement.name, now=clock.now()
        )
        store.append(each for each in records if _is_new_record(each, store.read_records()))
        silent = _silent(it, options, nodes=found)
        return (
            0,
            build_results(run.meta, merge_records([store.read_records()])),
            [*absent, *silent, *waiting, *run.meta.failed],
        )


def _jobs(
    it: AcceptanceRequest, options: Options, *, nodes: Mapping[str, Sequence[str]], run: str
) -> tuple[PlannedJob, ...]:
    return jobs_of(
        it.find_spec(options.placement),
        nodes=nodes,
        run=run,
        only=options.only,
        named=options.nodes,
        expected=it.expected.pools,
        peers=options.peers,
    )


def _silent(it: AcceptanceRequest, options: Options, *, nodes: Mapping[str, Sequence[str]]) -> list[str]:
    spec, pools = it.find_spec(options.placement), it.expected.pools
    return explain_unmeasured(spec, nodes=nodes, only=options.only, expected=pools, peers=options.peers)


def _is_new_record(record: MeasurementRecord, known: Sequence[MeasurementRecord]) -> bool:
    """Whether a record of the burn-in says anything that was not said before."""
    # A burn-in is read again with each run: what it said differs by its time alone.
    return not any({**each, "at": record["at"]} == record for each in known)


def _run(run: AcceptanceRun, jobs: Sequence[PlannedJob], *, spec: ClusterSpec) -> int:
    """Everything, in a namespace that goes again unless somebody else had made it, or is to look at it."""
    home = run.cluster.get(HOME)
    # Nothing can be made in a namespace that is going away.
    if home is not None and "deletionTimestamp" in str(home.get("metadata")):
        run.await_gone([HOME])
        home = None
    ours = home is None or MADE in _annotations(home)
    ground = _ground(spec, ours=ours)
    run.cluster.apply(ground[0])
    run.hold = Hold(cluster=run.cluster, clock=run.clock, run=run.meta.run, say=run.say)
    try:
        run.hold.take()
        run.run_all(jobs, ground=ground)
    finally:
        _leave(run, run.hold, ours=ours)
    return 0


def _leave(run: AcceptanceRun, hold: Hold, *, ours: bool) -> None:
    """Take down what was made for the run."""
    try:
        mine = hold.give_back()
        # Where another run has taken over, everything in there is that one's now.
        if ours and mine and not run.keep:
            take_down(run.cluster)
    except ClusterError as error:
        run.say(f"left behind: {error}")


def _ground(spec: ClusterSpec, *, ours: bool) -> tuple[Manifest, ...]:
    """What jobs stand on."""
    home, *others = foundation(spec)
    # Marked as ours, so that it goes, too, where the run that made it was killed.
    marked: Manifest = {**cast("Manifest", home["metadata"]), **({"annotations": {MADE: "true"}} if ours else {})}
    return ({**home, "metadata": marked}, *others)


def _annotations(home: Mapping[str, object]) -> Mapping[str, object]:
    metadata = cast("Mapping[str, object]", home.get("metadata") or {})
    return cast("Mapping[str, object]", metadata.get("annotations") or {})


def _refuse_work(seen: Sequence[NodeSnapshot], jobs: Sequence[PlannedJob], found: dict[str, list[str]]) -> None:
    """Raise where a job would take accelerators from somebody."""
    asked = {name for job in jobs for name in job.nodes}
    names = asked or {name for mine in found.values() for name in mine}
    held = placed.find_busy_nodes(seen, names)
    if held:
        raise placed.build_busy_error(held)
