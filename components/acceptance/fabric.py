"""Fabric bandwidth: all-reduce over growing numbers of a pool's nodes, started by Kubeflow Trainer over SSH."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.acceptance.job_context import ACCOUNT, PINNING_FABRICS, build_object_header
from components.acceptance.node import SHARED_MEMORY, WHOLE, accelerators
from components.acceptance.pods import (
    EFA,
    HOSTNAME,
    JOB,
    PYTHON,
    RUN,
    RUNTIME,
    SCRIPT_FOLDER,
    VERBS,
    JobPodOptions,
    build_module_command,
    build_object_name,
    code_volumes,
    container,
    labels,
    log_of,
    on_nodes,
    plan_job,
    tolerations,
)
from components.context.hardware import find_fabric_settings
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.acceptance.job_context import JobContext
    from components.acceptance.model import Manifest, PlannedJob
    from planning.spec.cluster import Pool

API: Final = "trainer.kubeflow.org/v1alpha1"
STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
ROLE: Final = "jobset.sigs.k8s.io/replicatedjob-name"  # label that JobSet puts on every pod
LAUNCHER: Final = "launcher"
NODE: Final = "node"  # name of the container in which Trainer puts the program
KEYS: Final = "/keys"
STAGE: Final = 10
SECONDS: Final = 3600
SSH_PORT: Final = 22
CARRIED: Final = "/carried"
TESTS: Final = "/opt/nccl-tests/build/all_reduce_perf"
# Capabilities that sshd needs to change to the user who logs in.
SSHD: Final = ("SETGID", "SETUID", "SYS_CHROOT")
PINS: Final = "IPC_LOCK"  # verbs pin the memory that the cards read
EVERY_CARD: Final = "1"  # request of `rdma/ib`, on CoreWeave and by the Network Operator: it gives every card


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """An image with nccl-tests.

    Args:
        mpi: folder of its Open MPI.
        python: interpreter of the image; None where it has none, and ours is copied in.
    """

    image: str
    mpi: str
    python: str | None


AMAZON: Final = Toolbox(image=EFA, mpi="/opt/amazon/openmpi", python="python3")
OTHERS: Final = Toolbox(image=VERBS, mpi="/opt/hpcx/ompi", python=None)


def toolbox(pool: Pool) -> Toolbox:
    return AMAZON if pool.fabric == "efa" else OTHERS


def fabric_jobs(context: JobContext, pool: Pool, nodes: Sequence[str]) -> Iterator[PlannedJob]:
    """One job for each node count; for the smallest count as many as cover every node."""
    if not context.has("trainer") or not context.list_payloads(pool):
        return
    for place, count in enumerate(context.list_counts(pool, len(nodes))):
        # The smallest count covers every node: a slow one is then found by name.
        groups = _groups(nodes, count) if place == 0 else [tuple(nodes[:count])]
        for number, group in enumerate(groups):
            yield fabric_job(context, pool, group, number=number, stage=STAGE + place)


def fabric_job(
    context: JobContext, pool: Pool, nodes: Sequence[str], *, number: int = 0, stage: int = STAGE
) -> PlannedJob:
    """All-reduce over exactly these nodes."""
    name = build_object_name("fabric", pool.name, str(len(nodes)), str(number), context.run, most=40)
    marked = labels(context, name)
    runtime = {
        **build_object_header(API, "TrainingRuntime", name, labels=marked),
        "spec": _runtime(context, pool, nodes, name),
    }
    job = {**build_object_header(API, "TrainJob", name, labels=marked), "spec": _job(context, pool, nodes, name)}
    return plan_job(
        name,
        (runtime, job),
        checks=("all_reduce",),
        about=subject(Per.POOL, pool.name, placement=context.spec.placement.name),
        seconds=SECONDS,
        stage=stage,
        nodes=nodes,
        log=log_of(context, name, container=NODE, more=f"{ROLE}={LAUNCHER}"),
    )


def _groups(nodes: Sequence[str], count: int) -> list[tuple[str, ...]]:
    """Disjoint groups of nodes; the rest is a last group, filled up with the first nodes."""
    whole = [tuple(nodes[start : start + count]) for start in range(0, len(nodes) - count + 1, count)]
    rest = tuple(nodes[len(whole) * count :])
    return [*whole, (*rest, *nodes[: count - len(rest)])] if rest else whole


def _job(context: JobContext, pool: Pool, nodes: Sequence[str], name: str) -> Manifest:
    """One process for each accelerator; the launcher is the first node."""
    box = toolbox(pool)
    said = ("--placement", context.spec.placement.name, "--pool", pool.name)
    count = len(nodes)
    most = str(max(context.list_payloads(pool)))
    sizes = ("--nodes", str(count), "--accelerators", str(pool.accelerators), "--on", ",".join(nodes), "--most", most)
    python = box.python or f"{CARRIED}/local/bin/python3"
    whole = build_module_command("fabric", *said, *sizes, "--", *_mpirun(context, pool, count, box), python=python)
    return {
        "runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "TrainingRuntime", "name": name},
        "trainer": {"numNodes": count, "command": ["sh", f"{SCRIPT_FOLDER}/keyed.sh", *whole]},
    }


def _mpirun(context: JobContext, pool: Pool, count: int, box: Toolbox) -> list[str]:
    """nccl-tests over all accelerators, each payload twice the one before; Trainer tells Open MPI of the hosts."""
    told = [word for name in ("LD_LIBRARY_PATH", *_settings(context, pool)) for word in ("-x", name)]
    least, most = min(context.list_payloads(pool)), max(context.list_payloads(pool))
    return [
        *(f"{box.mpi}/bin/mpirun", "--prefix", box.mpi, "--allow-run-as-root", "--bind-to", "none"),
        *("-np", str(count * pool.accelerators), "-N", str(pool.accelerators), *told),
        *(TESTS, "-b", str(least), "-e", str(most), "-f", "2", "-g", "1"),
    ]


def _settings(context: JobContext, pool: Pool) -> Mapping[str, str]:
    return find_fabric_settings(context.spec.placement.provider, pool.fabric)


def _runtime(context: JobContext, pool: Pool, nodes: Sequence[str], name: str) -> Manifest:
    """Atoll's MPI runtime, but on named nodes, as root, and with the network cards of the fabric."""
    policy: Manifest = {
        "numProcPerNode": pool.accelerators,
        "mpiImplementation": "OpenMPI",
        "sshAuthMountPath": KEYS,
        "runLauncherAsNode": True,
    }
    jobs = [_build_replicated_job(context, pool, nodes, name, role=role) for role in (LAUNCHER, NODE)]
    return {
        "mlPolicy": {"numNodes": len(nodes), "mpi": policy},
        "template": {
            "spec": {
                "network": {"publishNotReadyAddresses": True},
                "successPolicy": {"operator": "All", "targetReplicatedJobs": [LAUNCHER]},
                "replicatedJobs": jobs,
            }
        },
    }


def _build_replicated_job(context: JobContext, pool: Pool, nodes: Sequence[str], name: str, *, role: str) -> Manifest:
    served = {"command": ["sh", f"{SCRIPT_FOLDER}/keyed.sh", "/usr/sbin/sshd", "-De"]} if role == NODE else {}
    ready = {"readinessProbe": {"tcpSocket": {"port": SSH_PORT}, "initialDelaySeconds": 5}} if role == NODE else {}
    one = {**container(context, _pod(context, pool), name=NODE), **served, **ready}
    apart = {"labelSelector": {"matchLabels": {RUN: context.run, JOB: name}}, "topologyKey": HOSTNAME}
    pod: Manifest = {
        "serviceAccountName": ACCOUNT,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "securityContext": {"seccompProfile": RUNTIME},
        "tolerations": tolerations(pool),
        "affinity": {
            "nodeAffinity": on_nodes(nodes),
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]},
        },
        **({"initContainers": [_python(context)]} if toolbox(pool).python is None else {}),
        "containers": [one],
        "volumes": [*code_volumes(), SHARED_MEMORY, {"name": "python", "emptyDir": {}}],
    }
    marked = {"metadata": {"labels": labels(context, name)}, "spec": pod}
    template: Manifest = {"spec": {"backoffLimit": 0, "activeDeadlineSeconds": SECONDS, "template": marked}}
    if role == LAUNCHER:
        template["metadata"] = {"labels": {STEP: "trainer"}}
    return {"name": role, "template": template}


def _pod(context: JobContext, pool: Pool) -> JobPodOptions:
    pinned = pool.fabric in PINNING_FABRICS
    return JobPodOptions(
        image=toolbox(pool).image,
        command=["true"],  # the TrainJob says what the launcher runs
        asks={**accelerators(context, pool), **build_fabric_requests(context, pool)},
        requests=WHOLE,
        root=True,
        capabilities=(*SSHD, PINS) if pinned else SSHD,
        env=[{"name": key, "value": value} for key, value in _settings(context, pool).items()],
        mounts={"shm": "/dev/shm", "python": CARRIED},  # noqa: S108 - of one pod
    )


def build_fabric_requests(context: JobContext, pool: Pool) -> dict[str, str]:
    """What a pod asks of the fabric; nothing where the provider's profile names no resource."""
    resource = context.spec.profile.rdma_resource
    if not resource or pool.fabric == "ethernet":
        return {}
    return {resource: str(pool.efa_interfaces) if pool.efa_interfaces else EVERY_CARD}


def _python(context: JobContext) -> Manifest:
    """Init container that copies Python."""
    copied = JobPodOptions(
        # A copy works from any folder: the official images find their library beside themselves (`rpath`).
        image=PYTHON,
        command=["cp", "-a", "/usr/local", CARRIED],
        root=True,
        mounts={"python": CARRIED},
    )
    return container(context, copied, name="python")
