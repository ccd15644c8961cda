"""What stands in the two rehearsed clusters: kinds that a relocation works on, and objects of a small team."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import requests

from operations.relocation.rehearsal.processes import ServerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.relocation.rehearsal.control_plane import ControlPlane

TEAM: Final = "models"
NODE: Final = "machine-1"
WAIT: Final = 30.0  # seconds for one answer
OWNER: Final = "rehearsal"
Manifest = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomResourceKind:
    """A custom resource kind of the platform, with a schema that accepts any field."""

    group: str
    version: str
    name: str
    plural: str
    namespaced: bool = True

    @property
    def definition(self) -> Manifest:
        schema: Manifest = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        version: Manifest = {
            "name": self.version,
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": schema},
            "subresources": {"status": {}},
        }
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{self.plural}.{self.group}"},
            "spec": {
                "group": self.group,
                "scope": "Namespaced" if self.namespaced else "Cluster",
                "names": {"kind": self.name, "plural": self.plural, "singular": self.name.lower()},
                "versions": [version],
            },
        }


# Groups and versions of catalogs/software/parts.csv's releases: Kubeflow Notebooks 1.11.0, Pipelines 2.16.1, Kueue
# 0.19.2, KServe 0.18.0, Argo Workflows 3.7.3, Trainer 2.2.0.
KINDS: Final = (
    CustomResourceKind(group="kubeflow.org", version="v1", name="Notebook", plural="notebooks"),
    CustomResourceKind(group="kubeflow.org", version="v1beta1", name="ScheduledWorkflow", plural="scheduledworkflows"),
    CustomResourceKind(
        group="kueue.x-k8s.io", version="v1beta2", name="ClusterQueue", plural="clusterqueues", namespaced=False
    ),
    CustomResourceKind(
        group="serving.kserve.io", version="v1beta1", name="InferenceService", plural="inferenceservices"
    ),
    CustomResourceKind(group="argoproj.io", version="v1alpha1", name="Workflow", plural="workflows"),
    CustomResourceKind(group="argoproj.io", version="v1alpha1", name="CronWorkflow", plural="cronworkflows"),
    CustomResourceKind(group="trainer.kubeflow.org", version="v1alpha1", name="TrainJob", plural="trainjobs"),
)


@dataclass(frozen=True, slots=True)
class RehearsedApiServer:
    """An API server, with the credential of its administrator."""

    plane: ControlPlane

    def ask(self, method: str, path: str, body: Manifest | None = None, *, kind: str = "") -> requests.Response:
        """Send a request; `kind` is the body's content type unless it is plain JSON."""
        headers = {"Authorization": f"Bearer {self.plane.token}"} | ({"Content-Type": kind} if kind else {})
        return requests.request(
            method, self.plane.url + path, headers=headers, json=body, verify=str(self.plane.authority), timeout=WAIT
        )

    def get(self, path: str) -> Manifest:
        """Get an object or a list.

        Raises:
            ServerError: it is not there.
        """
        return _sound(self.ask("GET", path)).json()

    def apply(self, path: str, manifest: Manifest, *, part: str = "") -> None:
        """Apply an object, or a subresource such as "/status".

        Raises:
            ServerError: the server refused it.
        """
        options = f"?fieldManager={OWNER}&force=true&fieldValidation=Strict"
        name = manifest["metadata"]["name"]
        _sound(self.ask("PATCH", f"{path}/{name}{part}{options}", manifest, kind="application/apply-patch+yaml"))


def _sound(answer: requests.Response) -> requests.Response:
    if not answer.ok:
        raise ServerError(f"{answer.request.method} {answer.request.path_url}: {answer.text[:500]}")
    return answer


def path_of(kind: CustomResourceKind, *, namespace: str = TEAM) -> str:
    """Path of the list of a kind."""
    return f"/apis/{kind.group}/{kind.version}" + (
        f"/namespaces/{namespace}/{kind.plural}" if kind.namespaced else f"/{kind.plural}"
    )


def kind(name: str) -> CustomResourceKind:
    return next(each for each in KINDS if each.name == name)


def _build_object(of: str, name: str, spec: Mapping[str, object]) -> tuple[str, Manifest]:
    found = kind(of)
    metadata: Manifest = {"name": name} | ({"namespace": TEAM} if found.namespaced else {})
    return path_of(found), {
        "apiVersion": f"{found.group}/{found.version}",
        "kind": of,
        "metadata": metadata,
        "spec": dict(spec),
    }


POD: Final[Mapping[str, object]] = {
    "containers": [{"name": "main", "image": "registry.example/never-pulled:1"}],
    "restartPolicy": "Never",
}


def furnish(api: RehearsedApiServer, *, bucket: str, works: bool) -> None:
    """Create definitions and namespaces, and with `works` the objects of a team.

    Args:
        bucket: the team's, which a served model and a pipeline name.
    """
    for each in KINDS:
        api.apply("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", each.definition)
    api.apply("/api/v1/namespaces", _namespace())
    api.apply("/api/v1/nodes", _node())
    _make_ready(api)
    for path, manifest in (_queue(), *(_works(bucket) if works else ())):
        _when_known(api, path, manifest)


def _when_known(api: RehearsedApiServer, path: str, manifest: Manifest) -> None:
    """Apply once the server serves the kind."""
    import time  # noqa: PLC0415 - beside its only use

    deadline = time.monotonic() + WAIT
    # A server serves a kind only some time after it has taken its definition.
    while not api.ask("GET", path).ok and time.monotonic() < deadline:
        time.sleep(0.1)
    api.apply(path, manifest)


def _namespace() -> Manifest:
    labels = {"app.kubernetes.io/part-of": "kubeflow-profile"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TEAM, "labels": labels}}


def _node() -> Manifest:
    """A node simulated by kwok, with room for a small pod."""
    labels = {"kubernetes.io/hostname": NODE, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE, "labels": labels}}


def _make_ready(api: RehearsedApiServer) -> None:
    room = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "lastHeartbeatTime": "2026-01-01T00:00:00Z",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    manifest = {**_node(), "status": {"capacity": room, "allocatable": room, "conditions": [ready]}}
    api.apply("/api/v1/nodes", manifest, part="/status")


def _queue() -> tuple[str, Manifest]:
    return _build_object("ClusterQueue", TEAM, {"stopPolicy": "None"})


def _works(bucket: str) -> Sequence[tuple[str, Manifest]]:
    """A running and a stopped notebook, an hourly pipeline, a nightly job and a served model."""
    resting = _build_object("Notebook", "resting", {"template": {"spec": POD}})
    resting[1]["metadata"]["annotations"] = {"kubeflow-resource-stopped": "2026-11-01T08:00:00Z"}
    nightly: Manifest = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly", "namespace": TEAM},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": POD}}}},
    }
    return (
        _build_object("Notebook", "ada", {"template": {"spec": POD}}),
        resting,
        _build_object("ScheduledWorkflow", "hourly", _pipeline(bucket)),
        _build_object(
            "InferenceService", "served", {"predictor": {"model": {"storageUri": f"s3://{bucket}/models/served"}}}
        ),
        (f"/apis/batch/v1/namespaces/{TEAM}/cronjobs", nightly),
    )


def _pipeline(bucket: str) -> dict[str, object]:
    return {
        "enabled": True,
        "maxConcurrency": 1,
        "trigger": {"cronSchedule": {"cron": "0 0 * * * *"}},
        "workflow": {"parameters": [{"name": "data", "value": f"s3://{bucket}/sets/daily"}]},
    }
