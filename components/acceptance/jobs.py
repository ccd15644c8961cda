"""Every job of an acceptance, for the parts, pools and tiers that a lock has."""

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


def network_jobs(ground: JobContext, *, peers: Sequence[str] = ()) -> Iterator[PlannedJob]:
    """Names and the way out always; the main network where somebody says what is to answer there.

    Args:
        peers: "host:port" in the main network.
    """
    yield _job(ground, "dns", (API, registry(ground)))
    yield _job(ground, "egress", (f"{registry(ground)}:{HTTPS}",))
    if peers and (ground.spec.network.peering is not None or ground.spec.network.link is not None):
        yield _job(ground, "peering", peers)


def registry(ground: JobContext) -> str:
    """Host that the images come from: it has to be found and reached anyway."""
    return whole_name(ground.picture(PYTHON)).partition("/")[0].partition(":")[0]


def _job(ground: JobContext, check: str, to: Sequence[str]) -> PlannedJob:
    name = build_object_name("network", check, ground.run)
    said = ("--placement", ground.spec.placement.name, "--check", check, "--to", ",".join(to))
    job = job_object(
        ground, name, JobPodOptions(image=PYTHON, command=build_module_command("network", *said)), seconds=SECONDS
    )
    return plan_job(
        name,
        (job,),
        checks=(check,),
        about=subject(Per.NETWORK, check, placement=ground.spec.placement.name),
        seconds=SECONDS,
        stage=STAGE,
        log=log_of(ground, name),
    )


__all__ = ["PlannedJob", "foundation", "list_unmeasured", "plan_jobs"]


def foundation(spec: ClusterSpec, *, picture: Callable[[str], str] | None = None) -> tuple[Manifest, ...]:
    """What all jobs stand on, in order: made before the first, deleted (the namespace is enough) after the last.

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
        expected: what pools are held to: says at which precision, and with which matrices, arithmetic is measured.
        peers: "host:port" in the main network that has to answer; the lock knows the network, not who is in it.
        picture: as for `foundation`.

    Raises:
        InputError: `run` cannot be part of a name in Kubernetes, or a pool is not in the lock.
    """
    ground = JobContext.of(spec, run=run, picture=picture, expected=expected)
    ground.check(nodes)
    found = [
        *_plan_node_jobs(ground, nodes),
        *storage_jobs(ground, nodes),
        *network_jobs(ground, peers=peers),
        *service_jobs(ground),
    ]
    return tuple(sorted(found, key=lambda each: each.stage))


def _plan_node_jobs(ground: JobContext, nodes: Mapping[str, Sequence[str]]) -> Iterator[PlannedJob]:
    for pool in ground.spec.pools:
        if measurable(pool):
            there = nodes.get(pool.name, ())
            yield from (node_job(ground, pool, node) for node in there)
            yield from fabric_jobs(ground, pool, there)


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
    """Subject of everything of the lock that `planned` leaves out, and why, in words."""
    return tuple(_find_unmeasured(JobContext.of(spec, run="", expected=expected), nodes, peers))


def _find_unmeasured(
    ground: JobContext, nodes: Mapping[str, Sequence[str]], peers: Sequence[str]
) -> Iterator[tuple[str, str]]:
    spec, place = ground.spec, ground.spec.placement.name
    for pool in spec.pools:
        about = subject(Per.POOL, pool.name, placement=place)
        if pool.role != "gpu" or not pool.accelerators:
            continue
        if not measurable(pool):
            yield about, "our checks of nodes are made for NVIDIA's accelerators"
        elif not nodes.get(pool.name):
            yield about, "no node of it is there"
        elif ground.counts(pool, len(nodes[pool.name])) and not ground.has("trainer"):
            yield about, "its fabric is measured by Kubeflow Trainer, which is not installed"
    yield from list_unmounted_tiers(ground, nodes)
    if not peers and (spec.network.peering is not None or spec.network.link is not None):
        about = subject(Per.NETWORK, "peering", placement=place)
        yield about, "nobody said which host:port of the main network is to answer (--peer)"
