"""What a tier that is a file system carries: the three needs of training, and many small files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from components.acceptance.job_context import ACCOUNT, CODE, NAMESPACE, build_object_header, code_object
from components.acceptance.pods import (
    FIO,
    PYTHON,
    SCRIPT_FOLDER,
    TOOLS,
    JobPodOptions,
    build_module_command,
    build_object_name,
    container,
    job_object,
    labels,
    log_of,
    plan_job,
)
from components.context.names import SYSTEM_NAMESPACE, namespace, workloads
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from components.acceptance.job_context import JobContext
    from components.acceptance.model import Manifest, PlannedJob
    from planning.spec.cluster import ClusterSpec, Pool, Tier

CHECKS: Final = ("loader", "checkpoint", "code", "small_files")
STAGE: Final = 30
SECONDS: Final = 2 * 3600
FOLDER: Final = "/tier"
# One node cannot draw what a shared tier is sold with, and every node more than a few adds nothing to a figure that is
# the tier's own.
CLIENTS: Final = 8
ROOM_GIB: Final = 200
FIO_JOBS: Final = 8
FILE_MB: Final = 8192
HOT: Final = "hot"
DEFAULT: Final = "default"  # service account of every namespace
PATH: Final = f"{TOOLS}/bin:/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, kw_only=True)
class TierMount:
    """Where a tier can be mounted.

    Args:
        claim: of the volume, in the namespace; "" for the node's own disks.
        made: the claim, where it is made for the measurement and goes with it.
        root: whether only root may write at its top.
    """

    namespace: str = NAMESPACE
    claim: str = ""
    made: Manifest | None = None
    root: bool = False


def storage_jobs(context: JobContext, nodes: Mapping[str, Sequence[str]]) -> Iterator[PlannedJob]:
    """One for each tier that is a file system and can be mounted."""
    for position, tier in enumerate(each for each in context.spec.storage if each.tier in PLACES):
        place = PLACES[tier.tier](context, tier)
        pool, there = _clients(context, tier, nodes)
        if place is not None and there:
            yield _job(context, tier, place, pool=pool, nodes=there, stage=STAGE + position)


def list_unmounted_tiers(context: JobContext, nodes: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Subject of each tier that is a file system and is not measured, and why."""
    for tier in context.spec.storage:
        if tier.tier not in PLACES:
            continue
        told = subject(Per.TIER, tier.tier, placement=context.spec.placement.name)
        if PLACES[tier.tier](context, tier) is None:
            yield told, "the provider's profile names no storage class of it, so no claim can be made"
        elif not _clients(context, tier, nodes)[1]:
            yield told, "no node of the pools is there to mount it"


def _job(
    context: JobContext, tier: Tier, place: TierMount, *, pool: Pool | None, nodes: Sequence[str], stage: int
) -> PlannedJob:
    name = build_object_name("tier", tier.tier, context.run)
    own = place.namespace == NAMESPACE
    said = ("--placement", context.spec.placement.name, "--tier", tier.tier, "--node", "$(NODE)")
    pod = JobPodOptions(
        image=PYTHON,
        command=build_module_command(
            "storage", *said, "--nodes", str(len(nodes)), "--folder", FOLDER, *_build_fio_arguments(tier, place, nodes)
        ),
        requests={"cpu": "2", "memory": "4Gi"},
        root=place.root,
        env=(
            {"name": "PATH", "value": PATH},
            {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        ),
        mounts={"tier": FOLDER, "tools": TOOLS},
        volumes=(_volume(place), {"name": "tools", "emptyDir": {}}),
        before=(_fio(context, root=place.root),),
        nodes=nodes,
        pool=pool,
        account=ACCOUNT if own else DEFAULT,
        code=CODE if own else name,
    )
    job = job_object(context, name, pod, seconds=SECONDS, namespace=place.namespace, count=len(nodes))
    copied = () if own else (code_object(name, namespace=place.namespace, labels=labels(context, name)),)
    objects = (*copied, *([place.made] if place.made else []), job)
    return plan_job(
        name,
        objects,
        checks=CHECKS,
        about=subject(Per.TIER, tier.tier, placement=context.spec.placement.name),
        seconds=SECONDS,
        stage=stage,
        log=log_of(context, name, namespace=place.namespace),
    )


def _build_fio_arguments(tier: Tier, place: TierMount, nodes: Sequence[str]) -> tuple[str, ...]:
    """Files of fio that, of all nodes together, fill half of the room at most."""
    sharing = len(nodes) if place.claim else 1
    sold = place.claim and place.made is None
    room_mb = tier.provisioned_gb * 1000 if sold else ROOM_GIB * 1024
    fitting = room_mb // 2 // (sharing * FIO_JOBS)
    return ("--jobs", str(FIO_JOBS), "--size-mb", str(max(min(FILE_MB, fitting) if room_mb else FILE_MB, 1)))


def _fio(context: JobContext, *, root: bool) -> Manifest:
    """Brings fio beside Python."""
    # No image that has both fio and Python is published by anyone we would trust.
    command = ["sh", f"{SCRIPT_FOLDER}/carry.sh", "fio", TOOLS]
    return container(context, JobPodOptions(image=FIO, command=command, root=root, mounts={"tools": TOOLS}), name="fio")


def _volume(place: TierMount) -> Manifest:
    if not place.claim:
        return {"name": "tier", "emptyDir": {"sizeLimit": f"{ROOM_GIB}Gi"}}
    return {"name": "tier", "persistentVolumeClaim": {"claimName": place.claim}}


def _clients(context: JobContext, tier: Tier, nodes: Mapping[str, Sequence[str]]) -> tuple[Pool | None, Sequence[str]]:
    """Nodes that mount it: of the first pool with accelerators that is there; of a hot tier one that has disks."""
    fitting = [
        pool
        for pool in context.spec.pools
        if pool.role == "gpu" and nodes.get(pool.name) and (tier.tier != HOT or pool.local_nvme_gb)
    ]
    if not fitting:
        return None, ()
    return fitting[0], tuple(nodes[fitting[0].name][:CLIENTS])


def _hot(context: JobContext, tier: Tier) -> TierMount | None:
    """The nodes' own NVMe."""
    del context, tier
    # An emptyDir is enough: every provider of ours makes the nodes' own NVMe the scratch of their kubelet.
    return TierMount()


def _warm(context: JobContext, tier: Tier) -> TierMount | None:
    """Where the program keeps a volume of it; else a claim of the class that the provider's profile names."""
    spec = context.spec
    found = KEPT.get(find_traits(spec.placement.target).shared_claims)
    if found is not None:
        return found(spec, tier)
    if not spec.profile.shared_class:
        return None
    name = build_object_name("tier", tier.tier, context.run)
    made: Manifest = {
        **build_object_header("v1", "PersistentVolumeClaim", name, labels=labels(context, name)),
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": spec.profile.shared_class,
            "resources": {"requests": {"storage": f"{ROOM_GIB}Gi"}},
        },
    }
    return TierMount(claim=name, made=made)


def _of_workload(spec: ClusterSpec, tier: Tier) -> TierMount | None:
    """Google Cloud: the claim that the first workload has."""
    del tier
    first = next(iter(workloads(spec)), "")
    return TierMount(namespace=namespace(first), claim="shared") if first else None


def _of_system(spec: ClusterSpec, tier: Tier) -> TierMount | None:
    """AWS: the system's own claim on the file system, by which its top was opened."""
    del spec, tier
    return TierMount(namespace=SYSTEM_NAMESPACE, claim="shared", root=True)


def _of_tier(spec: ClusterSpec, tier: Tier) -> TierMount | None:
    """CoreWeave: the one claim that is the tier."""
    del spec
    return TierMount(namespace=f"atoll-storage-{tier.tier}", claim=tier.tier)


KEPT: Final[Mapping[str, Callable[[ClusterSpec, Tier], TierMount | None]]] = {
    "system": _of_system,
    "workload": _of_workload,
    "tier": _of_tier,
}
PLACES: Final[Mapping[str, Callable[[JobContext, Tier], TierMount | None]]] = {"hot": _hot, "warm": _warm}
