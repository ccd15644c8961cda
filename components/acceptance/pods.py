"""Jobs and pods of the acceptance: the measuring code in containers with minimal permissions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from components.acceptance.job_context import (
    ACCOUNT,
    CODE,
    CODE_FOLDER,
    JOB,
    NAMESPACE,
    RUN,
    SCRIPTS,
    build_object_header,
    code_items,
)
from components.acceptance.model import JOB_DONE, JOB_FAILED, Log, PlannedJob, list_deletion_order, reference
from components.agents.measure import PACKAGE
from components.context.hardware import BURN_IN_TAINT
from planning.platform.accelerators import device

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.acceptance.job_context import JobContext
    from components.acceptance.model import Manifest, StatusMatcher
    from planning.spec.cluster import Pool


CONTAINER: Final = "measure"
LONGEST: Final = 52  # characters of a Job's name, to which its pods' names add eleven
DIGEST: Final = 10
NAME: Final = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
UNNAMEABLE: Final = re.compile(r"[^a-z0-9]+")
SCRIPT_FOLDER: Final = "/scripts"
RESULTS: Final = "/results"
TOOLS: Final = "/tools"
QUEUE: Final = "kueue.x-k8s.io/queue-name"
HOSTNAME: Final = "kubernetes.io/hostname"
NOBODY: Final = 65532
RUNTIME: Final = {"type": "RuntimeDefault"}
SMALL: Final[Mapping[str, str]] = {"cpu": "100m", "memory": "128Mi"}
# A pod that is evicted with its node does not fail the job.
NOT_OUR_FAULT: Final = {
    "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
}


@dataclass(frozen=True, kw_only=True)
class JobPodOptions:
    """What differs between pods.

    Args:
        image: as the catalog names it.
        command: of the container, a list of words; no shell reads it.
        asks: extended resources, as requests and limits.
        root: whether it runs as root, without capabilities, because a tool needs it.
        env: variables; given: Secrets and ConfigMaps whose keys are variables.
        mounts: volume name to the folder in which it is seen.
        volumes: definitions of these.
        before: init containers.
        code: name of the ConfigMap with the measuring code.
        nodes: names of the nodes that it may be on; empty for any.
        pool: whose taints it tolerates; None for none.
    """

    image: str
    command: Sequence[str]
    asks: Mapping[str, str] = field(default_factory=dict[str, str])
    requests: Mapping[str, str] = field(default_factory=lambda: dict(SMALL))
    root: bool = False
    capabilities: Sequence[str] = ()
    env: Sequence[Manifest] = ()
    given: Sequence[Manifest] = ()
    mounts: Mapping[str, str] = field(default_factory=dict[str, str])
    volumes: Sequence[Manifest] = ()
    before: Sequence[Manifest] = ()
    nodes: Sequence[str] = ()
    pool: Pool | None = None
    account: str = ACCOUNT
    code: str = CODE


def build_module_command(name: str, *arguments: str, python: str = "python3") -> list[str]:
    """Command line of a program of `components.agents.measure`."""
    return [python, "-m", f"{PACKAGE}.{name}", *arguments]


def build_object_name(*words: str, most: int = LONGEST) -> str:
    """A name that Kubernetes takes, of so many characters at most, that differs where the words do."""
    plain = "-".join(words).lower()
    if len(plain) <= most and NAME.fullmatch(plain):
        return plain
    kept = UNNAMEABLE.sub("-", plain)[: most - DIGEST - 1].strip("-")
    return f"{kept}-{sha256(plain.encode()).hexdigest()[:DIGEST]}"


def labels(context: JobContext, job: str) -> dict[str, str]:
    """Labels of the objects of one job."""
    # A sidecar would change what is measured.
    return {RUN: context.run, JOB: job, "sidecar.istio.io/inject": "false"}


def selector(context: JobContext, job: str) -> str:
    """Label selector of its pods."""
    return f"{RUN}={context.run},{JOB}={job}"


def job_object(
    context: JobContext,
    job: str,
    pod: JobPodOptions,
    *,
    seconds: int,
    namespace: str = NAMESPACE,
    count: int = 1,
    queue: str = "",
) -> Manifest:
    """A Job without retries.

    Args:
        count: pods, each on a node of its own.
        queue: of Kueue, where the namespace's pods wait for one.
    """
    marked = labels(context, job)
    queued = {**marked, **({QUEUE: queue} if queue else {})}
    spec: Manifest = {
        "completions": count,
        "parallelism": count,
        "completionMode": "Indexed",
        # A second run would hide the failure of the first.
        "backoffLimit": 0,
        "activeDeadlineSeconds": seconds,
        "podFailurePolicy": NOT_OUR_FAULT,
        "template": {"metadata": {"labels": marked}, "spec": pod_spec(context, pod, spread=job if count > 1 else "")},
    }
    return {**build_object_header("batch/v1", "Job", job, namespace=namespace, labels=queued), "spec": spec}


def plan_job(
    name: str,
    objects: Sequence[Manifest],
    *,
    checks: tuple[str, ...],
    about: str,
    seconds: int,
    stage: int,
    nodes: Sequence[str] = (),
    log: Log | None,
    done: tuple[StatusMatcher, ...] = JOB_DONE,
    failed: tuple[StatusMatcher, ...] = JOB_FAILED,
) -> PlannedJob:
    """A job whose last object is watched; its objects are deleted in reverse order.

    Args:
        about: subject of its records.
    """
    return PlannedJob(
        name=name,
        checks=checks,
        subject=about,
        objects=tuple(objects),
        awaited=reference(objects[-1]),
        done=done,
        failed=failed,
        log=log,
        seconds=seconds,
        stage=stage,
        nodes=tuple(nodes),
        removed=list_deletion_order(objects),
    )


def log_of(
    context: JobContext, job: str, *, namespace: str = NAMESPACE, container: str = CONTAINER, more: str = ""
) -> Log:
    """Log of the pods of a job.

    Args:
        more: label by which some of its pods are chosen.
    """
    chosen = f"{selector(context, job)},{more}" if more else selector(context, job)
    return Log(namespace=namespace, selector=chosen, container=container)


def pod_spec(context: JobContext, pod: JobPodOptions, *, spread: str = "") -> Manifest:
    """The pod of a Job.

    Args:
        spread: name of the job no two of whose pods may share a node; "" where they may.
    """
    affinity = _affinity(context, pod, spread=spread)
    return {
        "serviceAccountName": pod.account,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "securityContext": pod_security(root=pod.root),
        "tolerations": tolerations(pod.pool),
        **({"affinity": affinity} if affinity else {}),
        **({"initContainers": list(pod.before)} if pod.before else {}),
        "containers": [container(context, pod)],
        "volumes": [*code_volumes(pod.code), *pod.volumes],
    }


def pod_security(*, root: bool) -> Manifest:
    if root:
        return {"seccompProfile": RUNTIME}
    user = {"runAsUser": NOBODY, "runAsGroup": NOBODY, "fsGroup": NOBODY}
    return {"runAsNonRoot": True, **user, "seccompProfile": RUNTIME}


def container(context: JobContext, pod: JobPodOptions, *, name: str = CONTAINER) -> Manifest:
    """The container that measures; its working files are in emptyDirs."""
    mounts = [{"name": volume, "mountPath": path} for volume, path in pod.mounts.items()]
    return {
        "name": name,
        "image": context.picture(pod.image),
        "command": list(pod.command),
        "env": [
            {"name": "PYTHONPATH", "value": CODE_FOLDER},
            {"name": "PYTHONDONTWRITEBYTECODE", "value": "1"},
            {"name": "HOME", "value": "/tmp"},  # noqa: S108 - of one container
            *pod.env,
        ],
        **({"envFrom": list(pod.given)} if pod.given else {}),
        "resources": {"requests": {**pod.requests, **pod.asks}, **({"limits": dict(pod.asks)} if pod.asks else {})},
        "securityContext": build_security_context(root=pod.root, capabilities=pod.capabilities),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [*CODE_MOUNTS, *mounts],
    }


def build_security_context(*, root: bool, capabilities: Sequence[str] = ()) -> Manifest:
    """Security context of a container, without privileges that its tool does not need."""
    added = {"add": list(capabilities)} if capabilities else {}
    user: Manifest = {"runAsUser": 0} if root else {"runAsNonRoot": True}
    return {**user, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"], **added}}


def tolerations(pool: Pool | None) -> list[Manifest]:
    """Tolerations for a pool's nodes: of their device, of the burn-in, of a cordon: it is measured before it works."""
    if pool is None:
        return []
    keys = [key for key in (device(pool.accelerator), BURN_IN_TAINT) if key]
    # A cordoned node is measured before it works again.
    spared: list[Manifest] = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}]
    taken: list[Manifest] = [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in keys]
    return taken + spared


def _affinity(context: JobContext, pod: JobPodOptions, *, spread: str) -> Manifest:
    found: Manifest = {}
    if pod.nodes:
        found["nodeAffinity"] = on_nodes(pod.nodes)
    if spread:
        apart = {"labelSelector": {"matchLabels": {RUN: context.run, JOB: spread}}, "topologyKey": HOSTNAME}
        found["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}
    return found


def on_nodes(names: Sequence[str]) -> Manifest:
    """Only on nodes of these names, whatever their labels say."""
    # By the object's own name: labels may be wrong on the very node that is looked at.
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    terms = [{"matchFields": [each]} for each in fields]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


def code_volumes(name: str = CODE) -> list[Manifest]:
    """Volumes of the measuring code, of the shell scripts, and of /tmp."""
    scripts: list[Manifest] = [{"key": each, "path": each} for each in SCRIPTS]
    return [
        {"name": "code", "configMap": {"name": name, "items": code_items()}},
        {"name": "scripts", "configMap": {"name": name, "defaultMode": 0o555, "items": scripts}},
        {"name": "tmp", "emptyDir": {}},
    ]


CODE_MOUNTS: Final[Sequence[Manifest]] = (
    {"name": "code", "mountPath": CODE_FOLDER, "readOnly": True},
    {"name": "scripts", "mountPath": SCRIPT_FOLDER, "readOnly": True},
    {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - an emptyDir of the pod
)


# Python 3.12 with PyTorch, and nccl-tests in /usr/local/bin: what measures the accelerators of one node.
ACCELERATED: Final = "nvcr.io/nvidia/pytorch:25.10-py3"
# nccl-tests below /opt/nccl-tests with Open MPI and sshd; the first with Amazon's libfabric plugin and Python 3.10
# (github.com/awslabs/awsome-distributed-training, micro-benchmarks/nccl-tests), the second for verbs
# (github.com/coreweave/nccl-tests, Dockerfile). Both read 2026-11-22.
EFA: Final = "public.ecr.aws/hpc-cloud/nccl-tests:cuda13.0.2-efa1.48.0-ofiv1.19.0-ncclv2.30.4-1-testsv2.18.3"
VERBS: Final = "ghcr.io/coreweave/nccl-tests:13.1.0-devel-ubuntu24.04-nccl2.29.2-1-9dd6f94"
# `nv-hostengine` and `dcgmi`, of the release whose exporter the GPU Operator of the catalog has.
DCGM: Final = "nvcr.io/nvidia/cloud-native/dcgm:4.6.0-1-ubuntu24.04"
# Python 3.12 alone; the notebooks of most clusters have brought it already.
PYTHON: Final = "ghcr.io/kubeflow/notebooks/jupyter-web-app:v1.11.0"
# boto3 and the client of MLflow, at the version of the server.
MLFLOW: Final = "burakince/mlflow:3.15.1"
TORCH: Final = "pytorch/pytorch:2.10.0-cuda12.8-cudnn9-runtime"
NOTEBOOK: Final = "ghcr.io/kubeflow/kubeflow/notebook-servers/jupyter-scipy:v1.11.0"
FIO: Final = "xridge/fio:3.13-r1"  # github.com/xridge/kubestone, its fio benchmark
