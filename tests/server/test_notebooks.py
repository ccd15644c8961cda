"""A notebook as our template begins it, a training pod of each runtime, and the culler, before a real API server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import definitions
import pytest
import requests
import yaml

from components.agents import notebook_culler
from components.agents.notebook_culler import SERVER, STOPPED, CullerClusterClient, sweep
from components.platform.kubeflow.notebooks import read_notebook_template
from components.platform.kubeflow.training import JAX, MPI, TORCH, XGBOOST, Runtime, spec
from components.tenancy.cluster import PRIORITIES

if TYPE_CHECKING:
    from pathlib import Path

    from kube_client import KubeClient

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"]), definitions.here]

NOTEBOOK = {"apiVersion": "kubeflow.org/v1", "kind": "Notebook"}
HOUR = timedelta(hours=1)


@pytest.fixture
def home(kube: KubeClient) -> str:
    """A namespace that refuses what the restricted standard refuses."""
    name = "work-notebooks"
    kube.have_namespace(name, **{"pod-security.kubernetes.io/enforce": "restricted"})
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}}
    assert kube.apply(account).ok
    for priority in ("atoll-interactive", "atoll-training"):
        value, description = PRIORITIES[priority]
        named = {"metadata": {"name": priority}, "value": value, "description": description}
        assert kube.apply({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", **named}).ok
    return name


@pytest.fixture
def notebooks(kube: KubeClient) -> None:
    assert definitions.is_served(kube, NOTEBOOK) or definitions.install(kube, "kubeflow.org", "Notebook")


def refusal(kube: KubeClient, template: dict[str, Any], *, home: str) -> str:
    """Why the server does not let a pod of the template in; "" where it does."""
    pod = {name: value for name, value in template["spec"].items() if name != "serviceAccountName"}
    metadata = {**template.get("metadata", {}), "name": "try", "namespace": home}
    answer = kube.apply({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}, dry_run=True)
    return "" if answer.ok else answer.text


def begun(home: str) -> dict[str, Any]:
    """A notebook as the web app begins one, with an image."""
    made: dict[str, Any] = yaml.safe_load(
        read_notebook_template().format(
            name="try", namespace=home, creator="ada@lagoon.example", serviceAccount="default-editor"
        )
    )
    made["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/ide:1"
    return made


@pytest.mark.usefixtures("notebooks")
def test_a_new_notebook_is_accepted_and_its_pod_admitted(kube: KubeClient, home: str) -> None:
    notebook = begun(home)
    answer = kube.apply(notebook, dry_run=True)
    assert answer.ok, answer.text
    assert refusal(kube, notebook["spec"]["template"], home=home) == ""


@pytest.mark.parametrize("runtime", [TORCH, JAX, XGBOOST, MPI], ids=lambda runtime: runtime.name)
def test_pods_of_every_training_runtime_are_admitted(runtime: Runtime, kube: KubeClient, home: str) -> None:
    made: Any = spec(runtime, image=runtime.image, tolerations=())
    for job in made["template"]["spec"]["replicatedJobs"]:
        assert refusal(kube, job["template"]["spec"]["template"], home=home) == ""


@pytest.mark.usefixtures("notebooks")
def test_the_culler_stops_an_idle_notebook_and_leaves_a_used_one(kube: KubeClient, home: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(kube.plane.token)
    (tmp_path / "ca.crt").write_text(kube.plane.authority.read_text())
    cluster = CullerClusterClient(api=kube.plane.url, secrets=tmp_path)
    now = datetime.now(UTC)
    for name in ("quiet", "used"):
        start(kube, name, home=home, since=now - 5 * HOUR)

    def ask(url: str) -> object:
        ago = 2 * HOUR if "quiet" in url else timedelta(0)
        return {"status": "alive", "lastHeartbeat": (now - ago).timestamp() * 1000}

    (line,) = sweep(cluster, ask, idle=HOUR, now=now)
    assert line.startswith(f"{home}/quiet is stopped")
    found = {each["metadata"]["name"]: each["metadata"]["annotations"] for each in cluster.list_notebooks()}  # type: ignore[index]
    assert {name for name, annotations in found.items() if STOPPED in annotations} == {"quiet"}


def start(kube: KubeClient, name: str, *, home: str, since: datetime) -> None:
    """A notebook of VS Code whose container runs, as the controller would write it."""
    container = {"name": name, "image": "registry.example/ide:1"}
    metadata = {"name": name, "namespace": home, "annotations": {SERVER: notebook_culler.CODE}}
    body = {**NOTEBOOK, "metadata": metadata, "spec": {"template": {"spec": {"containers": [container]}}}}
    answer = kube.apply(body)
    assert answer.ok, answer.text
    running = {"running": {"startedAt": since.strftime("%Y-%m-%dT%H:%M:%SZ")}}
    written = requests.patch(
        f"{kube.plane.url}/apis/kubeflow.org/v1/namespaces/{home}/notebooks/{name}/status",
        json={"status": {"conditions": [], "readyReplicas": 1, "containerState": running}},
        headers={"Authorization": f"Bearer {kube.plane.token}", "Content-Type": "application/merge-patch+json"},
        verify=str(kube.plane.authority),
        timeout=60,
    )
    assert written.ok, written.text
