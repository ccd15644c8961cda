"""Claims of the workloads' namespaces, bound by real controllers to the volumes that are kept for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from existing_plan import accepted_example, manifests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import KubeClient
    from kube_client import Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

KINDS = ("Namespace", "StorageClass", "PersistentVolume", "PersistentVolumeClaim")


@pytest.fixture(scope="module", params=["gcp-train", "pretrain-7b"])
def claims(
    request: pytest.FixtureRequest, kube: KubeClient, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Manifest]]:
    """Claims of an example on Google Cloud and of one on AWS, applied in the order of the program with their ground."""
    folder = accepted_example(tmp_path_factory.mktemp("claims"), request.param, "cheapest")
    found = [each for each in manifests(folder, request.param) if each["kind"] in KINDS]
    mine = [each for each in found if each["kind"] == "PersistentVolumeClaim"]
    classes = {each["spec"]["storageClassName"] for each in mine}  # those of disks differ from cloud to cloud
    found = [each for each in found if each["kind"] != "StorageClass" or each["metadata"]["name"] in classes]
    made = sorted(found, key=lambda each: KINDS.index(each["kind"]))
    kube.delete_all([each for each in made if each["kind"] == "StorageClass"])  # another cloud's has other parameters
    for manifest in made:
        answer = kube.apply(manifest)
        assert answer.ok, f"{manifest['kind']} {manifest['metadata']['name']}: {answer.text}"
    yield mine
    kube.delete_all([each for each in reversed(made) if each["kind"] != "Namespace"])


def test_each_claim_gets_the_volume_that_is_kept_for_it(kube: KubeClient, claims: list[Manifest]) -> None:
    assert "shared" in {each["metadata"]["name"] for each in claims}
    for claim in claims:
        bound = kube.wait(claim, lambda answer: answer.json().get("status", {}).get("phase") == "Bound")
        assert bound.json()["status"]["phase"] == "Bound", bound.text
        assert bound.json()["spec"]["volumeName"] == claim["spec"]["volumeName"]


def test_a_claim_that_somebody_deleted_comes_back_once_its_volume_is_free(
    kube: KubeClient, claims: list[Manifest]
) -> None:
    claim = claims[0]
    volume: Manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": claim["spec"]["volumeName"]},
    }
    assert kube.delete(claim).ok
    kept = kube.wait(volume, lambda answer: answer.json()["status"]["phase"] == "Released")
    assert kept.json()["status"]["phase"] == "Released"
    free: Manifest = {"spec": {"claimRef": {"uid": None, "resourceVersion": None}}}
    assert kube.request("PATCH", kube.path(volume), body=free, content_type="application/merge-patch+json").ok
    assert kube.apply(claim).ok
    bound = kube.wait(claim, lambda answer: answer.json().get("status", {}).get("phase") == "Bound")
    assert bound.json()["status"]["phase"] == "Bound"
