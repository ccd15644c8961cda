"""The control plane itself: it is ready, it applies what it is given, and it refuses what a policy forbids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from control_plane import REPOSITORY
from waiting import wait_until

if TYPE_CHECKING:
    import requests
    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]


def pod(name: str, namespace: str, *, privileged: bool = False, cpu: str = "100m") -> Manifest:
    """A pod of one container that asks for some CPU."""
    container: dict[str, Any] = {
        "name": "main",
        "image": "registry.example/none:1",
        "resources": {"requests": {"cpu": cpu}, "limits": {"cpu": cpu}},
    }
    if privileged:
        container["securityContext"] = {"privileged": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [container]},
    }


def quota(name: str, namespace: str, **hard: str) -> Manifest:
    """A resource quota, a dot in a resource's name written as an underscore."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"hard": {resource.replace("_", "."): amount for resource, amount in hard.items()}},
    }


def is_counted(answer: requests.Response) -> bool:
    """Whether the controller has counted what a quota bounds."""
    return answer.ok and "used" in answer.json().get("status", {})


def reason(answer: requests.Response) -> str:
    """The server's own words for a refusal."""
    return str(answer.json()["message"])


def test_api_server_is_ready_and_says_the_pinned_version(kube: KubeClient) -> None:
    assert kube.request("GET", "/readyz").text == "ok"
    pinned = re.search(r"k8s\.io/kubernetes (v\S+)", (REPOSITORY / "tools" / "go.mod").read_text(encoding="utf-8"))
    assert pinned is not None
    assert kube.request("GET", "/version").json()["gitVersion"] == pinned[1]


def test_a_stranger_is_refused(kube: KubeClient) -> None:
    assert not kube.may({"user": "stranger", "resourceAttributes": {"verb": "list", "resource": "secrets"}})


@pytest.mark.parametrize(
    "manifest",
    [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": {"team": "a"}}},
        quota("compute", "default", requests_cpu="64", limits_memory="256Gi", pods="100"),
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "fast"},
            "provisioner": "ebs.csi.aws.com",
            "parameters": {"type": "gp3"},
            "reclaimPolicy": "Delete",
            "volumeBindingMode": "WaitForFirstConsumer",
            "allowVolumeExpansion": True,
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": "atoll:reader"},
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "readers", "namespace": "default"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "team-a"}],
        },
    ],
    ids=lambda manifest: manifest["kind"],
)
def test_an_object_is_created_then_found_unchanged(kube: KubeClient, namespace: str, manifest: Manifest) -> None:
    spaced = "namespace" in manifest["metadata"]
    name = manifest["metadata"]["name"] if spaced else f"{manifest['metadata']['name']}-{namespace}"
    named = {**manifest["metadata"], "name": name, **({"namespace": namespace} if spaced else {})}
    manifest = {**manifest, "metadata": named}
    first = kube.apply(manifest)
    assert first.status_code == 201, first.text
    second = kube.apply(manifest)
    assert second.status_code == 200, second.text
    assert second.json()["metadata"].get("generation") == first.json()["metadata"].get("generation")
    for part in ("spec", "rules", "subjects", "parameters"):
        assert second.json().get(part) == first.json().get(part)
    assert kube.delete(manifest).ok


def test_a_field_the_api_does_not_know_is_refused(kube: KubeClient, namespace: str) -> None:
    misspelt = pod("misspelt", namespace)
    misspelt["spec"]["restartPolitic"] = "Never"
    answer = kube.apply(misspelt)
    assert not answer.ok
    assert "restartPolitic" in answer.text


def test_a_dry_run_leaves_nothing(kube: KubeClient, namespace: str) -> None:
    assert kube.apply(pod("imagined", namespace), dry_run=True).status_code == 201
    assert kube.get(pod("imagined", namespace)).status_code == 404


def test_a_kind_that_nobody_serves_is_named(kube: KubeClient) -> None:
    with pytest.raises(LookupError, match=r"nobody\.example/v1 is not served"):
        kube.apply({"apiVersion": "nobody.example/v1", "kind": "Nothing", "metadata": {"name": "one"}})


def test_pod_security_label_refuses_a_privileged_pod(kube: KubeClient, namespace: str) -> None:
    assert kube.apply(pod("before", namespace, privileged=True), dry_run=True).ok
    labels = {"pod-security.kubernetes.io/enforce": "baseline"}
    kube.have_namespace(namespace, **labels)
    after = pod("after", namespace, privileged=True)
    answer = wait_until(
        lambda: kube.apply(after, dry_run=True), lambda answer: not answer.ok, what="the label is in force"
    )
    assert kube.apply(after).status_code == answer.status_code == 403
    assert 'violates PodSecurity "baseline:latest": privileged' in reason(answer)
    assert kube.apply(pod("modest", namespace)).status_code == 201


def test_quota_refuses_the_pod_that_goes_over_it(kube: KubeClient, namespace: str) -> None:
    bound = quota("compute", namespace, requests_cpu="1")
    assert kube.apply(bound).status_code == 201
    assert is_counted(kube.wait(bound, is_counted))
    assert kube.apply(pod("fits", namespace, cpu="600m")).status_code == 201
    answer = kube.apply(pod("over", namespace, cpu="600m"))
    assert answer.status_code == 403
    assert "exceeded quota: compute, requested: requests.cpu=600m" in reason(answer)


def test_a_deleted_namespace_goes_with_what_it_held(kube: KubeClient, namespace: str) -> None:
    assert kube.apply(quota("compute", namespace, pods="1")).status_code == 201
    doomed: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    assert kube.delete(doomed).ok
    assert kube.wait(doomed, lambda answer: answer.status_code == 404).status_code == 404


def test_a_custom_resource_is_applied_once_its_definition_is_served(kube: KubeClient) -> None:
    definition: Manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "berths.harbour.example"},
        "spec": {
            "group": "harbour.example",
            "scope": "Cluster",
            "names": {"plural": "berths", "singular": "berth", "kind": "Berth"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {"spec": {"type": "object", "properties": {"length": {"type": "integer"}}}},
                        }
                    },
                }
            ],
        },
    }
    assert kube.apply(definition).status_code == 201
    kube.wait_established(definition)
    berth: Manifest = {
        "apiVersion": "harbour.example/v1",
        "kind": "Berth",
        "metadata": {"name": "one"},
        "spec": {"length": 12},
    }
    assert kube.apply(berth).status_code == 201
    assert not kube.apply(berth | {"spec": {"length": "long"}}).ok
