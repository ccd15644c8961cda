"""Kubeflow Trainer and JobSet, and a training runtime for each framework of the checklist, for every namespace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.context.hardware import BURN_IN_TAINT, taints
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.manifests import Patch, manifests, on_system, proxies, request_resources
from components.platform.building_blocks.names import NCCL
from components.platform.building_blocks.objects import register_object
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


CONTROLLERS: Final = ".*-controller-manager"  # Trainer's asks nothing, JobSet's half a core
CERTIFICATE: Final = "kubeflow-trainer-webhook-cert"  # upstream has it with empty data, a change at every preview


@component("trainer", "atoll:platform:Trainer")
def build_trainer(own: PlatformResource) -> None:
    """The controllers of TrainJobs and of the sets of jobs that they become."""
    manifests(own, trainer_patches(own.context))


def trainer_patches(context: PlatformContext) -> list[Patch]:
    """Without upstream's runtimes."""
    return [
        # Upstream's runtimes: their pods run as root, which the namespaces of people do not admit.
        Patch(kind="ClusterTrainingRuntime", name=".*"),
        Patch(kind="Secret", name=CERTIFICATE, operations=[{"op": "remove", "path": "/data"}]),  # filled later
        request_resources(CONTROLLERS, "manager", cpu="50m", memory="128Mi"),
        proxies(),
        *on_system(context),
    ]


USER: Final = 1000
STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
SSH_FOLDER: Final = "/home/mpiuser/.ssh"
SSH_PORT: Final = 2222
RESTRICTED: Final[Mapping[str, object]] = {
    "runAsNonRoot": True,
    "runAsUser": USER,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
# Folders of the image belong to root: caches and histories go to a folder that any user may write.
HOME: Final = ({"name": "HOME", "value": "/tmp"}, {"name": "USER", "value": "trainer"})  # noqa: S108 - of one container


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """A runtime.

    Args:
        name: as `TrainJob.spec.runtimeRef` has it.
        framework: as the SDK shows it.
        policy: fields of `mlPolicy`.
    """

    name: str
    framework: str
    image: str
    policy: Mapping[str, object]


# Images are those of Trainer 2.2.0 (applications/trainer/upstream/base/runtimes at the release's commit).
TORCH: Final = Runtime(
    name="torch-distributed",
    framework="torch",
    image="pytorch/pytorch:2.10.0-cuda12.8-cudnn9-runtime",
    policy={"torch": {}},
)
JAX: Final = Runtime(name="jax-distributed", framework="jax", image="nvcr.io/nvidia/jax:25.10-py3", policy={"jax": {}})
XGBOOST: Final = Runtime(
    name="xgboost-distributed",
    framework="xgboost",
    image="ghcr.io/kubeflow/trainer/xgboost-runtime:v2.2.0",
    policy={"xgboost": {}},
)
MPI: Final = Runtime(
    name="deepspeed-distributed",
    framework="deepspeed",
    image="ghcr.io/kubeflow/trainer/deepspeed-runtime:v2.2.0",
    policy={
        "mpi": {
            "numProcPerNode": 1,
            "mpiImplementation": "OpenMPI",
            "sshAuthMountPath": SSH_FOLDER,
            "runLauncherAsNode": True,
        }
    },
)
# Framework of the checklist to its runtimes. Upstream has none for TensorFlow, whose nodes would not find each other.
BY_FRAMEWORK: Final[Mapping[str, tuple[Runtime, ...]]] = {
    "pytorch": (TORCH,),
    "jax": (JAX,),
    "xgboost": (XGBOOST,),
    "mpi": (MPI,),
    "tensorflow": (),
}


def runtimes_of(frameworks: Sequence[str]) -> tuple[Runtime, ...]:
    """Runtimes of some frameworks, and always that of PyTorch, the SDK's default.

    Raises:
        AtollError: a framework is not in the table.
    """
    unknown = sorted(set(frameworks) - set(BY_FRAMEWORK))
    if unknown:
        raise AtollError(f"no training runtime is decided for {', '.join(unknown)}")
    wanted = {each.name for framework in frameworks for each in BY_FRAMEWORK[framework]} | {TORCH.name}
    return tuple(each for each in (TORCH, JAX, XGBOOST, MPI) if each.name in wanted)


def spec(runtime: Runtime, *, image: str, tolerations: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """`ClusterTrainingRuntime.spec`: one node unless the job says more."""
    jobs = [_job("node", image=image, tolerations=tolerations, step=True)]
    whole: dict[str, object] = {"replicatedJobs": jobs}
    if "mpi" in runtime.policy:
        launcher = _job("launcher", image=image, tolerations=tolerations, step=True)
        worker = _job("node", image=image, tolerations=tolerations, step=False, server=True)
        whole = {
            "network": {"publishNotReadyAddresses": True},
            "successPolicy": {"operator": "All", "targetReplicatedJobs": ["launcher"]},
            "replicatedJobs": [launcher, worker],
        }
    return {"mlPolicy": {"numNodes": 1, **runtime.policy}, "template": {"spec": whole}}


def _job(
    name: str, *, image: str, tolerations: Sequence[Mapping[str, object]], step: bool, server: bool = False
) -> dict[str, object]:
    """One replicated job."""
    mpi = server or name == "launcher"
    # Called "node" in all of them, which is where Trainer puts the program.
    container: dict[str, object] = {"name": "node", "image": image, "securityContext": dict(RESTRICTED)}
    container["envFrom"] = [{"configMapRef": {"name": NCCL, "optional": True}}]
    if not mpi:
        container["env"] = [dict(each) for each in HOME]
    if server:
        container["command"] = ["/usr/sbin/sshd"]
        container["args"] = ["-De", "-f", "/home/mpiuser/.sshd_config"]
        container["readinessProbe"] = {"tcpSocket": {"port": SSH_PORT}, "initialDelaySeconds": 5}
    pod = {
        # A sidecar between the nodes would slow down every exchange.
        "metadata": {"labels": {"sidecar.istio.io/inject": "false"}},
        "spec": {
            "priorityClassName": "atoll-training",
            "automountServiceAccountToken": False,
            "securityContext": {"fsGroup": USER, "fsGroupChangePolicy": "OnRootMismatch"},
            "containers": [container],
            **({"tolerations": [dict(each) for each in tolerations]} if tolerations else {}),
        },
    }
    template: dict[str, object] = {"spec": {"template": pod}}
    if step:
        template["metadata"] = {"labels": {STEP: "trainer"}}
    return {"name": name, "template": template}


API: Final = "trainer.kubeflow.org/v1alpha1"


def list_runtimes(context: PlatformContext) -> tuple[Runtime, ...]:
    return runtimes_of([framework for work in context.platform.works for framework in work.frameworks])


@component(
    "runtimes",
    "atoll:platform:Runtimes",
    inputs=lambda context, charges: {"charges": charges, "names": [each.name for each in list_runtimes(context)]},
)
def build_runtimes(own: PlatformResource) -> None:
    """ClusterTrainingRuntimes."""
    tolerated = tolerations(own.context)
    for runtime in list_runtimes(own.context):
        image = resolve_image(runtime.image, own.context)
        labels = {"trainer.kubeflow.org/framework": runtime.framework}
        body = spec(runtime, image=image, tolerations=tolerated)
        register_object(API, "ClusterTrainingRuntime", runtime.name, body, parent=own, labels=labels)


def tolerations(context: PlatformContext) -> list[dict[str, object]]:
    """Tolerations for the taints of accelerator nodes, but not for that of the burn-in."""
    held = dict.fromkeys(
        (taint.key, taint.value) for pool in context.spec.pools for taint in taints(pool) if taint.key != BURN_IN_TAINT
    )
    return [{"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"} for key, value in held]
