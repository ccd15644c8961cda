"""What one node is worth: its accelerators, their memory and speed, and what DCGM finds wrong with them."""

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
# The stand-in for `dcgmi` is found before any other; what the image itself has on its path follows.
PATH: Final = (
    f"{SCRIPT_FOLDER}:/usr/local/mpi/bin:/usr/local/nvidia/bin:/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin"
)
WHOLE: Final[Mapping[str, str]] = {"cpu": "2", "memory": "16Gi"}


def accelerators(ground: JobContext, pool: Pool) -> dict[str, str]:
    """All accelerators of a node, as its pods ask for them."""
    asked = build_whole_flavor(pool) if ground.spec.platform is None else flavor(pool, ground.spec.platform)
    return {asked.resource: str(pool.accelerators * asked.parts)}


def node_job(ground: JobContext, pool: Pool, node: str) -> PlannedJob:
    """Every check of one node, which it needs for itself: it takes all its accelerators, tainted or cordoned."""
    name = build_object_name("node", node, ground.run)
    job = job_object(ground, name, node_pod(ground, pool, node), seconds=SECONDS)
    return plan_job(
        name,
        (job,),
        checks=checks_of(pool),
        about=subject(Per.NODE, node),
        seconds=SECONDS,
        stage=STAGE,
        nodes=(node,),
        log=log_of(ground, name),
    )


def checks_of(pool: Pool) -> tuple[str, ...]:
    """The checks of one of its nodes: a single accelerator is linked to no other."""
    return CHECKS if pool.accelerators > 1 else tuple(each for each in CHECKS if each != "nvlink")


def node_pod(
    ground: JobContext, pool: Pool, node: str, *, program: str = "node", extra: tuple[str, ...] = ()
) -> JobPodOptions:
    """DCGM in its own image first, which is heard by what measures the rest.

    Both ask for all accelerators: an init container and the one after it are given the same ones.
    """
    asks = accelerators(ground, pool)
    said = (
        *("--placement", ground.spec.placement.name, "--pool", pool.name, "--node", node),
        *("--accelerators", str(pool.accelerators), "--checks", ",".join(checks_of(pool)), "--level", str(LEVEL)),
        *_build_size_arguments(ground, pool),
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
        before=(container(ground, diagnosed, name="dcgm"),),
        nodes=(node,),
        pool=pool,
    )


def _build_size_arguments(ground: JobContext, pool: Pool) -> tuple[str, ...]:
    """Payloads that fit its memory; the precision of its workload, and the matrices that were published for it."""
    payloads = ground.payloads(pool)
    links = ("--least", str(min(payloads)), "--most", str(max(payloads))) if payloads else ()
    held = ground.expected.get(pool.name)
    if held is None:
        return links
    shapes = ("--shapes", ",".join(held.shapes)) if held.shapes else ()
    return (*links, "--precision", held.precision, *shapes)
