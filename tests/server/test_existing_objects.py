"""What the program puts into a cluster that exists, judged by a real API server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from existing_plan import accepted, manifests

if TYPE_CHECKING:
    from pathlib import Path

    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

SAFE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "seccompProfile": {"type": "RuntimeDefault"},
}


@pytest.fixture(scope="module")
def objects(kube: KubeClient, tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    folder: Path = accepted(tmp_path_factory.mktemp("existing"))
    found = manifests(folder)
    for manifest in found:
        answer = kube.apply(manifest)
        assert answer.ok, f"{manifest['kind']} {manifest['metadata']['name']}: {answer.text}"
    return found


def work_namespace(objects: list[Manifest]) -> str:
    return next(each["metadata"]["namespace"] for each in objects if each["kind"] == "ResourceQuota")


def pod(namespace: str, *, security: dict[str, Any], gpus: int = 0) -> Manifest:
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    container = {"name": "main", "image": "registry.example/none:1", "securityContext": security}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"pod-{gpus}", "namespace": namespace},
        "spec": {"serviceAccountName": "workload", "containers": [{**container, "resources": {"limits": limits}}]},
    }


def test_a_real_api_server_accepts_every_object_of_the_plan(objects: list[Manifest]) -> None:
    kinds = {each["kind"] for each in objects}
    assert kinds >= {"Namespace", "ResourceQuota", "LimitRange", "NetworkPolicy", "RoleBinding", "PriorityClass"}


def test_applying_again_is_accepted_and_changes_nothing(kube: KubeClient, objects: list[Manifest]) -> None:
    for manifest in objects:
        before = kube.get(manifest).json()["metadata"]["resourceVersion"]
        assert kube.apply(manifest).json()["metadata"]["resourceVersion"] == before


def test_a_pod_within_the_rules_is_admitted(kube: KubeClient, objects: list[Manifest]) -> None:
    answer = kube.apply(pod(work_namespace(objects), security=SAFE, gpus=1))
    assert answer.ok, answer.text


def test_a_privileged_pod_is_refused(kube: KubeClient, objects: list[Manifest]) -> None:
    answer = kube.apply(pod(work_namespace(objects), security={"privileged": True}))
    assert answer.status_code == 403
    assert "PodSecurity" in answer.text


def test_a_pod_over_the_accelerator_quota_is_refused(kube: KubeClient, objects: list[Manifest]) -> None:
    answer = kube.apply(pod(work_namespace(objects), security=SAFE, gpus=500))
    assert answer.status_code == 403
    assert "exceeded quota" in answer.text
