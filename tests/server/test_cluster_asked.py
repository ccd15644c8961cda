"""What `atoll preflight` and `atoll orphans` read of a real cluster, through the client that they read it with."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from fake_nodes import joined

from operations.clouds.kubernetes import objects, placement
from operations.clouds.registry import Asked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from control_plane import ControlPlane
    from kube_client import KubeClient, Manifest

    from planning.spec.cluster import ClusterSpec

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

HOME = "asked-home"
OURS = {"app.kubernetes.io/managed-by": "atoll"}
GPUS = 3  # on a node: no node of another test has as many
PLACE = SimpleNamespace(name="home", provider="lambda", region="us-south-2", target="existing")
SPEC = SimpleNamespace(
    existing=None,
    placement=PLACE,
    profile=SimpleNamespace(autoscaler="none"),
    pools=[SimpleNamespace(accelerators=GPUS, machine="gpu")],
)  # all that is asked of it
ASKED = Asked(stack="demo", spec=cast("ClusterSpec", SPEC), reservations={"train": "r-1"}, config={})


def manifest(
    kind: str, name: str, *, spaced: bool = True, labels: dict[str, str] | None = None, **rest: object
) -> Manifest:
    metadata = {"name": name, **({"namespace": HOME} if spaced else {}), **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **rest}


def volume(name: str, policy: str) -> Manifest:
    source = {"driver": "disk.example", "volumeHandle": name}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": HOME, "name": "data"}
    spec = {"capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "asked"}
    spec |= {"persistentVolumeReclaimPolicy": policy, "csi": source, "claimRef": claim}
    return manifest("PersistentVolume", name, spaced=False, spec=spec)


def made() -> list[Manifest]:
    room = {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": str(GPUS)}
    ports = [{"name": "http", "port": 80, "targetPort": "http"}]
    wanted = {"accessModes": ["ReadWriteOnce"], "storageClassName": "asked"}
    wanted |= {"resources": {"requests": {"storage": "20Gi"}}, "volumeName": "asked-kept"}
    return [
        manifest("Namespace", HOME, spaced=False, labels=OURS),
        manifest("Node", "asked-0", spaced=False, status={"capacity": room, "allocatable": room}),
        volume("asked-kept", "Retain"),
        volume("asked-going", "Delete"),
        manifest("PersistentVolumeClaim", "data", labels=OURS, spec=wanted),
        manifest("Service", "door", spec={"type": "LoadBalancer", "ports": ports, "selector": {"a": "b"}}),
        manifest("Service", "inside", spec={"ports": ports, "selector": {"a": "b"}}),
    ]


@pytest.fixture(scope="module", autouse=True)
def _there(kube: KubeClient) -> Iterator[None]:
    asked_of = made()
    nodes = [each for each in asked_of if each["kind"] == "Node"]
    with joined(kube, nodes, owner="cluster-asked"):
        for each in asked_of:
            if each not in nodes:
                answer = kube.apply(each)
                assert answer.ok, answer.text
        yield


@pytest.fixture(autouse=True)
def _kubeconfig(control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(objects.KUBECONFIG_VARIABLE, str(control_plane.kubeconfig))


def test_ready_nodes_are_counted_by_what_they_hold(kube: KubeClient) -> None:
    node = made()[1]
    kube.wait(node, lambda answer: '"Ready","status":"True"' in answer.text.replace(" ", "").replace("\n", ""))
    told = placement.read_capacity(ASKED)
    assert told.silence == ""
    (quota,) = told.quotas.values()
    assert (getattr(quota, "limit", None), getattr(told.offers["gpu"], "offered", None)) == (1, True)


def test_what_of_ours_is_left_is_found_with_what_it_costs() -> None:
    search = placement.search(ASKED)
    assert search.unanswered == ()
    found = {(each.kind, each.id): each for each in search.found if HOME in each.id or each.id.startswith("asked-")}
    assert set(found) == {
        ("namespace", HOME),
        ("Service of type LoadBalancer", f"{HOME}/door"),
        ("PersistentVolumeClaim", f"{HOME}/data"),
        ("volume of 21 GB", "asked-kept"),
        ("volume of 21 GB", "asked-going"),
    }
    kept = {id_: bool(each.kept) for (_, id_), each in found.items() if each.kind.startswith("volume")}
    assert kept == {"asked-kept": True, "asked-going": False}


def test_who_may_not_look_is_told_so_and_a_stranger_too(
    control_plane: ControlPlane, kube: KubeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kube.apply(manifest("ServiceAccount", "nobody")).ok
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/nobody/token"
    request: Manifest = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = kube.request("POST", path, body=request).json()["status"]["token"]
    config = json.loads(control_plane.kubeconfig.read_text())
    monkeypatch.setenv(objects.KUBECONFIG_VARIABLE, str(tmp_path / "kubeconfig"))
    for held, reason in ((token, "403 Forbidden"), ("nonsense", "401 Unauthorized")):
        config["users"][0]["user"] = {"token": held}
        (tmp_path / "kubeconfig").write_text(json.dumps(config))
        silence = placement.read_capacity(ASKED).silence
        assert silence.startswith(f"the cluster refused GET /api/v1/nodes: {reason}")
        unanswered = [each.reason for each in placement.search(ASKED).unanswered]
        assert unanswered
        assert all(each.startswith("the cluster refused GET /") and reason in each for each in unanswered)
