"""Which jobs a run has, on which nodes, and whether it is a new one or goes on."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from components.acceptance.job_context import NAMESPACE
from components.acceptance.jobs import list_unmeasured, plan_jobs
from components.context.hardware import BURN_IN_TAINT, device, labels
from operations.acceptance.result_store import Meta, runs, store_of
from planning.acceptance.report.builder import GROUPS
from planning.agents.measurement_records import BY_ID, Per
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from components.acceptance.model import PlannedJob
    from operations.acceptance.kubernetes_cluster import NodeSnapshot
    from operations.acceptance.request import AcceptanceRequest
    from operations.acceptance.result_store import ResultStore
    from planning.acceptance.node_limits import ExpectedPool
    from planning.spec.cluster import ClusterSpec, Pool


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
        for each in plan_jobs(spec, nodes=nodes, run=run, expected=expected, peers=peers)
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


def explain_unmeasured(
    spec: ClusterSpec,
    *,
    nodes: Mapping[str, Sequence[str]],
    only: Collection[str],
    expected: Sequence[ExpectedPool] = (),
    peers: Sequence[str] = (),
) -> list[str]:
    """What was asked for and no job measures, and why, in words."""
    wanted = {GROUPS[each] for each in only or GROUPS}
    found = list_unmeasured(spec, nodes=nodes, expected=expected, peers=peers)
    return [f"{about} is not measured: {why}" for about, why in found if about.partition("/")[0] in wanted]


def longest(jobs: Sequence[PlannedJob]) -> str:
    """How long a run lasts at most: stage after stage, each as long as its longest job."""
    stages = {each.stage for each in jobs}
    seconds = sum(max(each.seconds for each in jobs if each.stage == stage) for stage in stages)
    return f"{len(jobs)} jobs in {len(stages)} stages, {seconds / 3600:.1f} h at most"


def name_lock_nodes(spec: ClusterSpec) -> dict[str, list[str]]:
    """Names that stand for the nodes of each pool, where no cluster is asked."""
    return {pool.name: [f"{pool.name}-{number}" for number in range(pool.max_nodes)] for pool in spec.pools}


def select_run(it: AcceptanceRequest, *, run: str, placement: str, now: datetime) -> tuple[ResultStore, Meta]:
    """The run that is named, else the last one that has not ended, else a new one.

    Raises:
        InputError: the named one is of another lock or placement, or cannot be a name.
    """
    metas = [(name, store_of(it.folder, name).read_meta()) for name in runs(it.folder)]
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


POOL: Final = "atoll/pool"
CORDON: Final = "node.kubernetes.io/unschedulable"
SHOWN: Final = 12


def by_pool(spec: ClusterSpec, seen: Sequence[NodeSnapshot]) -> dict[str, list[str]]:
    """Names of the ready nodes of each pool, sorted."""
    left = {each.name: each for each in seen if each.ready}
    found: dict[str, list[str]] = {}
    for pool in spec.pools:
        # Nodes of a cluster that exists may carry no label of ours: then those with the pool's accelerators are its
        # own.
        mine = sorted(each.name for each in left.values() if _in(pool, each, labelled=spec.existing is None))
        found[pool.name] = mine
        left = {name: each for name, each in left.items() if name not in mine}
    return found


def match_lock_pools(spec: ClusterSpec, seen: Sequence[NodeSnapshot]) -> dict[str, list[str]]:
    """The same, of a cluster that is the one that the lock describes, as far as its nodes tell.

    Raises:
        InputError: nodes are there, and none of them is of a pool of the lock: the kubeconfig names another cluster.
    """
    found = by_pool(spec, seen)
    ready = [each.name for each in seen if each.ready]
    if ready and not any(found.values()):
        pools = ", ".join(pool.name for pool in spec.pools)
        raise InputError(
            f"this cluster has {len(ready)} ready nodes, and none of a pool of the lock: {pools}",
            hint="does the kubeconfig name another cluster? What is measured there says nothing about this stack",
        )
    return found


def select_nodes(found: Mapping[str, Sequence[str]], names: Sequence[str]) -> dict[str, list[str]]:
    """Only the nodes that are named; all where none is.

    Raises:
        InputError: no such node; names those there are.
    """
    known = [name for pool in found.values() for name in pool]
    if unknown := [name for name in names if name not in known]:
        there = ", ".join(known[:SHOWN]) + (f" and {len(known) - SHOWN} more" if len(known) > SHOWN else "")
        raise InputError(f"no ready node {', '.join(unknown)}; there are: {there or 'none'}")
    return {pool: [name for name in mine if not names or name in names] for pool, mine in found.items()}


def list_not_ready(seen: Iterable[NodeSnapshot]) -> list[str]:
    """Nodes that are there and not ready."""
    return sorted(each.name for each in seen if not each.ready)


def find_busy_nodes(seen: Iterable[NodeSnapshot], names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Nodes on which others work, and their pods: neither set apart for the burn-in nor cordoned, nor idle."""
    wanted = frozenset(names)
    ours = f"{NAMESPACE}/"
    found = {
        each.name: tuple(pod for pod in each.holders if not pod.startswith(ours))
        for each in seen
        if each.name in wanted and not _apart(each)
    }
    return {name: pods for name, pods in found.items() if pods}


def find_cordoned_nodes(seen: Iterable[NodeSnapshot], jobs: Iterable[PlannedJob]) -> list[str]:
    """Cordoned nodes on which no pod of their own job would be put, so that it would wait for nothing."""
    cordoned = {each.name for each in seen if each.cordoned}
    lost = [job for job in jobs if cordoned & set(job.nodes) and CORDON not in json.dumps(job.objects)]
    return sorted({name for job in lost for name in job.nodes if name in cordoned})


def build_busy_error(found: Mapping[str, Sequence[str]]) -> InputError:
    """Why nodes at work are not taken away."""
    told = "; ".join(_describe_holders(found))
    return InputError(
        f"{len(found)} nodes are at work, and the tests would take their accelerators: {told}",
        hint="cordon and drain them, choose others with --node, or wait for them with --while-working",
    )


def _describe_holders(found: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, pods in list(found.items())[:SHOWN]:
        yield f"{name} is held by {', '.join(pods[:3])}" + (f" and {len(pods) - 3} more" if len(pods) > 3 else "")  # noqa: PLR2004


def _in(pool: Pool, node: NodeSnapshot, *, labelled: bool) -> bool:
    if labelled or POOL in node.labels:
        return labels(pool).items() <= node.labels.items()
    resource = device(pool.accelerator) if pool.role == "gpu" else ""
    has = {resource: pool.accelerators} if resource and pool.accelerators else {}
    return dict(node.accelerators) == has


def _apart(node: NodeSnapshot) -> bool:
    return node.cordoned or BURN_IN_TAINT in node.taints
