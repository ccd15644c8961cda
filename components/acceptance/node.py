"""Checks of one node: its accelerators, their memory and speed, and DCGM diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.acceptance.pods import (
    ACCELERATED,
    DCGM,
    RESULTS,
    SCRIPT_FOLDER,
    JobPodOptions,
    build_module_command,
    build_object_name,
    container,
    job_object,
    log_of,
    plan_job,
)
from planning.agents.measurement_records import Per, subject
from planning.platform.queues import build_whole_flavor, flavor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.acceptance.job_context import JobContext
    from components.acceptance.model import Manifest, PlannedJob
    from planning.spec.cluster import Pool

CHECKS: Final = ("inventory", "usable_memory", "dcgm", "matmul", "nvlink")
LEVEL: Final = 3  # "long": memory, bandwidth and stress (docs.nvidia.com/datacenter/dcgm, "DCGM Diagnostics")
SECONDS: Final = 3 * 3600
STAGE: Final = 1
SHARED_MEMORY: Final[Manifest] = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "32Gi"}}
KEPT: Final[Manifest] = {"name": "results", "emptyDir": {"sizeLimit": "64Mi"}}
# Our script `dcgmi` is found before the tool of that name; what the image itself has on its path follows.
PATH: Final = (
    f"{SCRIPT_FOLDER}:/usr/local/mpi/bin:/usr/local/nvidia/bin:/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin"
)
WHOLE: Final[Mapping[str, str]] = {"cpu": "2", "memory": "16Gi"}


def accelerators(context: JobContext, pool: Pool) -> dict[str, str]:
    """All accelerators of a node, as its pods ask for them."""
    asked = build_whole_flavor(pool) if context.spec.platform is None else flavor(pool, context.spec.platform)
    return {asked.resource: str(pool.accelerators * asked.parts)}


def node_job(context: JobContext, pool: Pool, node: str) -> PlannedJob:
    """Every check of one node. The job takes all its accelerators, and tolerates its taints and a cordon."""
    name = build_object_name("node", node, context.run)
    job = job_object(context, name, node_pod(context, pool, node), seconds=SECONDS)
    return plan_job(
        name,
        (job,),
        checks=checks_of(pool),
        about=subject(Per.NODE, node),
        seconds=SECONDS,
        stage=STAGE,
        nodes=(node,),
        log=log_of(context, name),
    )


def checks_of(pool: Pool) -> tuple[str, ...]:
    """The checks of one of its nodes."""
    # A single accelerator is linked to no other.
    return CHECKS if pool.accelerators > 1 else tuple(each for each in CHECKS if each != "nvlink")


def node_pod(
    context: JobContext, pool: Pool, node: str, *, program: str = "node", extra: tuple[str, ...] = ()
) -> JobPodOptions:
    """DCGM in its own image first; the second container reads its report and measures the rest."""
    # Both containers ask for all of them: an init container and the main one are given the same devices.
    asks = accelerators(context, pool)
    said = (
        *("--placement", context.spec.placement.name, "--pool", pool.name, "--node", node),
        *("--accelerators", str(pool.accelerators), "--checks", ",".join(checks_of(pool)), "--level", str(LEVEL)),
        *_build_size_arguments(context, pool),
        *extra,
    )
    diagnosed = JobPodOptions(
        image=DCGM,
        command=["sh", f"{SCRIPT_FOLDER}/dcgm.sh", RESULTS, str(LEVEL)],
        asks=asks,
        requests=WHOLE,
        root=True,
        mounts={"results": RESULTS},
    )
    return JobPodOptions(
        image=ACCELERATED,
        command=build_module_command(program, *said),
        asks=asks,
        requests=WHOLE,
        root=True,
        env=({"name": "PATH", "value": PATH},),
        mounts={"results": RESULTS, "shm": "/dev/shm"},  # noqa: S108 - of one pod
        volumes=(KEPT, SHARED_MEMORY),
        before=(container(context, diagnosed, name="dcgm"),),
        nodes=(node,),
        pool=pool,
    )


def _build_size_arguments(context: JobContext, pool: Pool) -> tuple[str, ...]:
    """Arguments: payloads that fit the memory, the precision of the workload, the matrices of published results."""
    payloads = context.list_payloads(pool)
    links = ("--least", str(min(payloads)), "--most", str(max(payloads))) if payloads else ()
    held = context.expected.get(pool.name)
    if held is None:
        return links
    shapes = ("--shapes", ",".join(held.shapes)) if held.shapes else ()
    return (*links, "--precision", held.precision, *shapes)
