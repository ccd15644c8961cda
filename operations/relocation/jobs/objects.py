"""Kubernetes objects of a Job of copy workers: its pods, their network, and its modules as a ConfigMap."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from components.agents import mover
from components.agents.mover.job import REFUSED, STOPPED
from components.context.names import NAME_CACHE
from planning.values.errors import AtollError, Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.agents.mover.store.model import BucketEndpoint
    from operations.relocation.config.endpoints import MoversPlace, StorePeer


Manifest = dict[str, object]

# python:3.12-slim beneath (its Dockerfile at kubeflow/notebooks, 2026-11-22), which has SQLite, and most of our
# clusters have pulled it already. MLflow's would do, at several times the size; nothing that it adds is of use here.
IMAGE: Final = "ghcr.io/kubeflow/notebooks/jupyter-web-app:v1.11.0"
SPEC: Final = "spec.json"
CODE_FOLDER: Final = "/mover"
SPEC_FOLDER: Final = "/spec"
KEYS_FOLDER: Final = "/keys"
AUTHORITY_FOLDER: Final = "/authority"
WORK_FOLDER: Final = "/work"
PORT: Final = 8080
NOBODY: Final = 65532
GRACE_SECONDS: Final = 120  # for the object or part that is under way
TRIES_PER_SHARD: Final = 6
DEADLINE_SECONDS: Final = 7 * 24 * 3600  # after which all of it fails
CPU: Final = "1"
MEMORY: Final = "1Gi"
LABEL: Final = "atoll/mover"
START: Final = "__main__.py"
MOST_BYTES: Final = 2**20  # of a ConfigMap; https://kubernetes.io/docs/concepts/configuration/configmap/ (2026-11-22)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoverJob:
    """One Job of copy workers.

    Args:
        spec: their task, as `components.agents.mover.job` reads it, without shards, bandwidth and folders.
        secrets: Secrets with the files access_key, secret_key and session_token, by "source" and "target".
        authorities: ConfigMaps with a file ca.crt, by the same words; only for stores that have their own.
        claim: volume claim of the ledger, so that a pod on another node resumes; "" where no ledger is kept, as for
            a comparison.
        mib_per_s: of all shards together; None for no limit.
    """

    name: str
    pods: MoversPlace
    spec: Mapping[str, object]
    secrets: Mapping[str, str]
    authorities: Mapping[str, str] = field(default_factory=dict[str, str])
    claim: str = ""
    mib_per_s: float | None = None


def head(job: MoverJob, version: str, kind: str, *, name: str = "") -> Manifest:
    metadata = {"name": name or job.name, "namespace": job.pods.namespace, "labels": {LABEL: job.name}}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def build_indexed_job(job: MoverJob, *, paths: Iterable[str]) -> Manifest:
    """The Job, one shard per index; stopped or evicted pods do not count as failures.

    Args:
        paths: source files of the copy worker.
    """
    labels = {LABEL: job.name, **({"kueue.x-k8s.io/queue-name": job.pods.queue} if job.pods.queue else {})}
    return {
        **head(job, "batch/v1", "Job"),
        "metadata": {"name": job.name, "namespace": job.pods.namespace, "labels": labels},
        "spec": {
            "completionMode": "Indexed",
            "completions": job.pods.shards,
            "parallelism": job.pods.parallelism,
            "backoffLimitPerIndex": TRIES_PER_SHARD,
            "activeDeadlineSeconds": DEADLINE_SECONDS,
            "podReplacementPolicy": "Failed",  # never two movers of one shard side by side: one ledger, one writer
            "podFailurePolicy": {
                "rules": [
                    {"action": "FailIndex", "onExitCodes": _exit_codes(REFUSED)},
                    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                    {"action": "Ignore", "onExitCodes": _exit_codes(STOPPED)},
                ]
            },
            "template": {"metadata": {"labels": {LABEL: job.name}}, "spec": _pod(job, paths)},
        },
    }


def _exit_codes(*values: int) -> Manifest:
    return {"containerName": "mover", "operator": "In", "values": list(values)}


def _pod(job: MoverJob, paths: Iterable[str]) -> Manifest:
    return {
        "serviceAccountName": job.name,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "nodeSelector": dict(job.pods.node_selector),
        "tolerations": [
            {name: value for name, value in each.model_dump().items() if value} for each in job.pods.tolerations
        ],
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "runAsGroup": NOBODY,
            "fsGroup": NOBODY,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(job)],
        "volumes": _volumes(job, paths),
    }


def _container(job: MoverJob) -> Manifest:
    mounts = [
        {"name": "code", "mountPath": CODE_FOLDER, "readOnly": True},
        {"name": "spec", "mountPath": SPEC_FOLDER, "readOnly": True},
        {"name": "work", "mountPath": WORK_FOLDER},
        {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - of the pod alone
        *({"name": f"keys-{side}", "mountPath": f"{KEYS_FOLDER}/{side}", "readOnly": True} for side in job.secrets),
        *(
            {"name": f"authority-{side}", "mountPath": f"{AUTHORITY_FOLDER}/{side}", "readOnly": True}
            for side in job.authorities
        ),
    ]
    return {
        "name": "mover",
        "image": job.pods.image or IMAGE,
        "command": ["python3", "-I", CODE_FOLDER, f"{SPEC_FOLDER}/{SPEC}"],
        "ports": [{"name": "metrics", "containerPort": PORT}],
        "resources": {"requests": {"cpu": CPU, "memory": MEMORY}, "limits": {"memory": MEMORY}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": mounts,
    }


def _volumes(job: MoverJob, paths: Iterable[str]) -> list[Manifest]:
    work: Manifest = {"persistentVolumeClaim": {"claimName": job.claim}} if job.claim else {"emptyDir": {}}
    items = [{"key": flatten_path(path), "path": path} for path in paths]
    return [
        {"name": "code", "configMap": {"name": f"{job.name}-code", "items": items}},
        {"name": "spec", "configMap": {"name": f"{job.name}-spec"}},
        {"name": "work", **work},
        {"name": "tmp", "emptyDir": {}},
        *(
            {"name": f"keys-{side}", "secret": {"secretName": name, "defaultMode": 0o440}}
            for side, name in job.secrets.items()
        ),
        *({"name": f"authority-{side}", "configMap": {"name": name}} for side, name in job.authorities.items()),
    ]


def flatten_path(path: str) -> str:
    """Key of a ConfigMap."""
    # A ConfigMap has no folders.
    return path.replace("/", ".")


def network(job: MoverJob) -> Manifest:
    """Network policy: egress to the stores and DNS, ingress to the metrics."""
    selector = {"matchLabels": {LABEL: job.name}}
    dns = {
        "to": [
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}},
            # NodeLocal DNSCache answers from an address of the node, which no namespace selector meets.
            {"ipBlock": {"cidr": NAME_CACHE}},
        ],
        "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
    }
    return {
        **head(job, "networking.k8s.io/v1", "NetworkPolicy"),
        "spec": {
            "podSelector": selector,
            "policyTypes": ["Egress", "Ingress"],
            "egress": [dns, *(_towards(peer) for peer in job.pods.peers)],
            "ingress": [{"ports": [{"protocol": "TCP", "port": PORT}]}],
        },
    }


def _towards(peer: StorePeer) -> Manifest:
    pods = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": peer.namespace}},
        "podSelector": {"matchLabels": dict(peer.labels)},
    }
    to = {"ipBlock": {"cidr": peer.cidr}} if peer.cidr else pods
    return {"to": [to], "ports": [{"protocol": "TCP", "port": peer.port}]}


def monitor(job: MoverJob) -> Manifest:
    return {
        **head(job, "monitoring.coreos.com/v1", "PodMonitor"),
        "spec": {
            "selector": {"matchLabels": {LABEL: job.name}},
            "podMetricsEndpoints": [{"port": "metrics", "path": "/metrics"}],
        },
    }


def keys_of(job: MoverJob, source: BucketEndpoint, target: BucketEndpoint) -> list[Manifest]:
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": job.secrets[side], "namespace": job.pods.namespace, "labels": {LABEL: job.name}},
            "stringData": {
                "access_key": place.access_key,
                "secret_key": place.secret_key,
                **({"session_token": place.session_token} if place.session_token else {}),
            },
        }
        for side, place in (("source", source), ("target", target))
    ]


def authorities_of(job: MoverJob, source: BucketEndpoint, target: BucketEndpoint) -> list[Manifest]:
    places = {"source": source, "target": target}
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": job.pods.namespace, "labels": {LABEL: job.name}},
            "data": {"ca.crt": Path(places[side].authority).read_text(encoding="utf-8")},
        }
        for side, name in job.authorities.items()
    ]


def sources() -> dict[str, str]:
    """Source files of the copy worker, by path below the folder that it is started from."""
    package = Path(str(mover.__file__)).parent
    *above, root = package.parents[: len(mover.__name__.split("."))]
    paths = [*(folder / "__init__.py" for folder in reversed(above)), *sorted(package.rglob("*.py"))]
    read = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {START: (package / START).read_text(encoding="utf-8"), **read}


def build_code_config_map(job: MoverJob) -> Manifest:
    """ConfigMap with the source of the copy worker.

    Raises:
        AtollError: it has become too long for one.
    """
    found = {flatten_path(path): text for path, text in sources().items()}
    size = sum(len(key) + len(text.encode()) for key, text in found.items())
    if size >= MOST_BYTES:
        raise AtollError(f"the copy worker has {size} bytes, a ConfigMap holds less than {MOST_BYTES}")
    return {**head(job, "v1", "ConfigMap", name=f"{job.name}-code"), "data": found}


def build_spec_config_map(job: MoverJob) -> Manifest:
    share = None if job.mib_per_s is None else job.mib_per_s / min(job.pods.parallelism, job.pods.shards)
    sides = {
        side: {**cast("dict[str, object]", job.spec[side]), "authority": f"{AUTHORITY_FOLDER}/{side}/ca.crt"}
        for side in job.authorities
    }
    spec = {
        **job.spec,
        **sides,
        "shards": job.pods.shards,
        "mib_per_s": share,
        "folder": WORK_FOLDER,
        "keys": KEYS_FOLDER,
        "listen": "0.0.0.0",  # noqa: S104 - its own pod; the network policy says who may ask
        "port": PORT,
    }
    text = json.dumps(spec, indent=2, sort_keys=True) + "\n"
    return {**head(job, "v1", "ConfigMap", name=f"{job.name}-spec"), "data": {SPEC: text}}


def list_objects(job: MoverJob) -> list[Manifest]:
    """Objects of a Job in order; its Secrets and claim exist already.

    Raises:
        InputError: it cannot be run like this.
        AtollError: the source is too long for a ConfigMap.
    """
    _check(job)
    account = {**head(job, "v1", "ServiceAccount"), "automountServiceAccountToken": False}
    monitored = [monitor(job)] if job.pods.monitored else []
    return [
        account,
        build_code_config_map(job),
        build_spec_config_map(job),
        network(job),
        *monitored,
        build_indexed_job(job, paths=sources()),
    ]


def _check(job: MoverJob) -> None:
    faults: list[str] = []
    if not 1 <= job.pods.parallelism <= job.pods.shards:
        faults.append(f"{job.pods.parallelism} movers at once for {job.pods.shards} shards")
    if job.mib_per_s is not None and job.mib_per_s <= 0:
        faults.append(f"a bandwidth of {job.mib_per_s} MiB/s")
    if not job.pods.peers:
        faults.append("no address of a store: movers could reach nothing")
    if not job.secrets:
        faults.append("no Secret with keys")
    if faults:
        raise InputError(
            f"the movers {job.name} cannot be run", faults=[Fault(message=each, file=job.name) for each in faults]
        )
