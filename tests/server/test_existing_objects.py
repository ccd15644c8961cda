"""What the program puts into a cluster that exists, taken by a real API server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import definitions
import pytest

if TYPE_CHECKING:
    from conftest import Applied
    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

OF_THE_SERVER = ("managedFields", "resourceVersion")  # they move with the status, which is the controllers'
FLAVOR: Manifest = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "ResourceFlavor",
    "metadata": {"name": "h100"},
    "spec": {"nodeLabels": {"atoll/pool": "h100"}},
}


def wanted(manifest: Manifest) -> dict[str, Any]:
    """An object without what the server and the controllers write into it."""
    metadata = {name: value for name, value in manifest["metadata"].items() if name not in OF_THE_SERVER}
    return {**manifest, "metadata": metadata, "status": None}


def test_a_real_api_server_accepts_every_object_of_the_plan(example: Applied) -> None:
    kinds = {each["kind"] for each in example.objects}
    assert kinds >= {"Namespace", "ResourceQuota", "LimitRange", "NetworkPolicy", "RoleBinding", "PriorityClass"}


def test_every_custom_resource_of_the_plan_is_judged_by_its_charts_definition(example: Applied) -> None:
    kinds = sorted({f"{each['apiVersion']} {each['kind']}" for each in example.unknown})
    if kinds and not definitions.LISTED.is_file():
        pytest.skip(f"not judged: {', '.join(kinds)}; {definitions.ABSENT}")
    assert kinds == []


def test_applying_again_is_accepted_and_changes_nothing(kube: KubeClient, example: Applied) -> None:
    for manifest in example.objects:
        before = kube.apply(manifest)  # another test's plan may share a namespace or a role with this one
        assert before.ok, before.text
        assert wanted(kube.apply(manifest).json()) == wanted(before.json())


@definitions.here
def test_a_charts_definition_judges_a_custom_resource(kube: KubeClient) -> None:
    assert definitions.install(kube, "kueue.x-k8s.io", "ResourceFlavor")
    assert kube.apply(FLAVOR).ok
    misspelt = {**FLAVOR, "spec": {"nodeLabel": {"atoll/pool": "h100"}}}
    assert "nodeLabel" in kube.apply(misspelt).json()["message"]
