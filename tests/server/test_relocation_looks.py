"""What a plan of a move finds in a real cluster: page after page, secrets without their values, or why it is silent."""

from __future__ import annotations

import json
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from operations.clouds.kubernetes import client
from operations.relocation.cluster import inventory
from operations.relocation.cluster.inventory import SECRETS
from planning.values.money import Range

if TYPE_CHECKING:
    from pathlib import Path

    from kube_client import KubeClient

    from operations.relocation.rehearsal.control_plane import ControlPlane
    from planning.spec.cluster import ClusterSpec

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

VARIABLE = "ATOLL_KUBECONFIG"
HOME = "work-found"
SPEC = cast("ClusterSpec", SimpleNamespace(existing=None))  # all that is asked of it


@pytest.fixture(scope="module", autouse=True)
def _people(kube: KubeClient) -> None:
    kube.have_namespace(HOME)
    for number in range(3):
        metadata = {"name": f"work-{number}", "namespace": HOME}
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "atoll-disk",
            "resources": {"requests": {"storage": "20Gi"}},
        }
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"token": "do-not-tell"}}
        assert kube.apply(claim).ok
        assert kube.apply(secret).ok


@pytest.mark.parametrize("page", [1, 500])
def test_a_plan_finds_what_people_keep_page_after_page(
    page: int, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PAGE", page)
    monkeypatch.setenv(VARIABLE, str(control_plane.kubeconfig))
    said = inventory.query_cluster(SPEC, None)
    assert said.silence == ""
    size = Decimal(20 * 2**30)
    things = {each.key: each for each in said.things}
    for number in range(3):
        volume = things[f"volumes/{HOME}/work-{number}"]
        assert (volume.part, volume.bytes) == ("notebooks", Range(Decimal(0), size, size))
    names = things["secrets/people"].locator.split()
    assert {f"{HOME}/work-{number}" for number in range(3)} <= set(names)


def test_no_value_of_a_secret_reaches_this_machine(
    control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Any] = []
    list_objects = client.KubernetesClient.list_objects

    def listened(self: client.KubernetesClient, path: str, **more: Any) -> Any:
        read.append((path, list_objects(self, path, **more)))
        return read[-1][1]

    monkeypatch.setattr(client.KubernetesClient, "list_objects", listened)
    monkeypatch.setenv(VARIABLE, str(control_plane.kubeconfig))
    assert inventory.query_cluster(SPEC, None).silence == ""
    of_secrets = [each for path, found in read if path == SECRETS.path() for each in found]
    assert [each["metadata"]["name"] for each in of_secrets]
    assert not any({"data", "stringData"} & each.keys() for each in of_secrets)


def test_a_cluster_that_refuses_or_is_gone_is_silent_in_a_line(
    control_plane: ControlPlane, kube: KubeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody", "namespace": HOME}}
    assert kube.apply(account).ok
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/nobody/token"
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = kube.request("POST", path, body=asked).json()["status"]["token"]
    config = json.loads(control_plane.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": token}
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kubeconfig"))
    refused = inventory.query_cluster(SPEC, None).silence
    assert refused.startswith("the cluster refused GET /apis/postgresql.cnpg.io/v1/clusters: 403 Forbidden: ")
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    assert inventory.query_cluster(SPEC, None).silence == "the cluster does not answer: MaxRetryError"
