"""Every job of an acceptance, for the components, pools and tiers of a lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.acceptance.fabric import fabric_jobs
from components.acceptance.job_context import JobContext, ground_objects
from components.acceptance.model import PlannedJob
from components.acceptance.node import node_job
from components.acceptance.pods import (
    PYTHON,
    JobPodOptions,
    build_module_command,
    build_object_name,
    job_object,
    log_of,
    plan_job,
)
from components.acceptance.services import service_jobs
from components.acceptance.storage import list_unmounted_tiers, storage_jobs
from planning.agents.measurement_records import Per, subject
from planning.platform.accelerators import NVIDIA, device
from planning.platform.mirror import whole_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from components.acceptance.model import Manifest
    from planning.acceptance.node_limits import ExpectedPool
    from planning.spec.cluster import ClusterSpec, Pool


STAGE: Final = 40
SECONDS: Final = 600
API: Final = "kubernetes.default.svc.cluster.local"
HTTPS: Final = 443


def network_jobs(context: JobContext, *, peers: Sequence[str] = ()) -> Iterator[PlannedJob]:
    """DNS and egress always; the main network where `peers` names what has to answer there.

    Args:
        peers: "host:port" in the main network.
    """
    yield _job(context, "dns", (API, registry(context)))
    yield _job(context, "egress", (f"{registry(context)}:{HTTPS}",))
    if peers and (context.spec.network.peering is not None or context.spec.network.link is not None):
        yield _job(context, "peering", peers)


def registry(context: JobContext) -> str:
    """Registry of the images, which every cluster has to reach anyway."""
    return whole_name(context.picture(PYTHON)).partition("/")[0].partition(":")[0]


def _job(context: JobContext, check: str, to: Sequence[str]) -> PlannedJob:
    name = build_object_name("network", check, context.run)
    said = ("--placement", context.spec.placement.name, "--check", check, "--to", ",".join(to))
    job = job_object(
        context, name, JobPodOptions(image=PYTHON, command=build_module_command("network", *said)), seconds=SECONDS
    )
    return plan_job(
        name,
        (job,),
        checks=(check,),
        about=subject(Per.NETWORK, check, placement=context.spec.placement.name),
        seconds=SECONDS,
        stage=STAGE,
        log=log_of(context, name),
    )


__all__ = ["PlannedJob", "foundation", "list_unmeasured", "plan_jobs"]


def foundation(spec: ClusterSpec, *, picture: Callable[[str], str] | None = None) -> tuple[Manifest, ...]:
    """Objects that all jobs need, in order: created before the first job, deleted (by the namespace) after the last.

    Args:
        picture: image to what is pulled in its place; the lock's mirror, where it is a registry, by default.
    """
    return ground_objects(JobContext.of(spec, run="", picture=picture))


def plan_jobs(
    spec: ClusterSpec,
    *,
    nodes: Mapping[str, Sequence[str]],
    run: str,
    expected: Sequence[ExpectedPool] = (),
    peers: Sequence[str] = (),
    picture: Callable[[str], str] | None = None,
) -> tuple[PlannedJob, ...]:
    """Jobs in the order of their stages; those of one stage may run side by side.

    Args:
        nodes: pool to the names of its nodes that are there; a pool without one is not measured.
        run: short word that tells one acceptance from another: part of every name and the label `atoll/acceptance`.
        expected: limits of the pools, with the precision and matrices at which arithmetic is measured.
        peers: "host:port" in the main network that has to answer; the lock knows the network, not who is in it.
        picture: as for `foundation`.

    Raises:
        InputError: `run` cannot be part of a name in Kubernetes, or a pool is not in the lock.
    """
    context = JobContext.of(spec, run=run, picture=picture, expected=expected)
    context.check(nodes)
    found = [
        *_plan_node_jobs(context, nodes),
        *storage_jobs(context, nodes),
        *network_jobs(context, peers=peers),
        *service_jobs(context),
    ]
    return tuple(sorted(found, key=lambda each: each.stage))


def _plan_node_jobs(context: JobContext, nodes: Mapping[str, Sequence[str]]) -> Iterator[PlannedJob]:
    for pool in context.spec.pools:
        if measurable(pool):
            there = nodes.get(pool.name, ())
            yield from (node_job(context, pool, node) for node in there)
            yield from fabric_jobs(context, pool, there)


def measurable(pool: Pool) -> bool:
    """Whether our node checks can measure its accelerators: DCGM, NCCL and CUDA are NVIDIA's."""
    return pool.role == "gpu" and pool.accelerators > 0 and device(pool.accelerator) == NVIDIA


def list_unmeasured(
    spec: ClusterSpec,
    *,
    nodes: Mapping[str, Sequence[str]],
    expected: Sequence[ExpectedPool] = (),
    peers: Sequence[str] = (),
) -> tuple[tuple[str, str], ...]:
    """Subject of everything of the lock that `plan_jobs` does not measure, and the reason."""
    return tuple(_find_unmeasured(JobContext.of(spec, run="", expected=expected), nodes, peers))


def _find_unmeasured(
    context: JobContext, nodes: Mapping[str, Sequence[str]], peers: Sequence[str]
) -> Iterator[tuple[str, str]]:
    spec, place = context.spec, context.spec.placement.name
    for pool in spec.pools:
        about = subject(Per.POOL, pool.name, placement=place)
        if pool.role != "gpu" or not pool.accelerators:
            continue
        if not measurable(pool):
            yield about, "our checks of nodes are made for NVIDIA's accelerators"
        elif not nodes.get(pool.name):
            yield about, "no node of it is there"
        elif context.list_counts(pool, len(nodes[pool.name])) and not context.has("trainer"):
            yield about, "its fabric is measured by Kubeflow Trainer, which is not installed"
    yield from list_unmounted_tiers(context, nodes)
    if not peers and (spec.network.peering is not None or spec.network.link is not None):
        about = subject(Per.NETWORK, "peering", placement=place)
        yield about, "no host:port of the main network was named (--peer)"
