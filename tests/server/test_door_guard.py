"""Whoever works in a namespace of a workload opens no way in or out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import definitions
import pulumi
import pytest
import requests
from waiting import wait_until

from components.context.names import QUEUED
from components.platform.teams.namespaces import DASHBOARD, door_guard, profile_guard
from operations.offline.program import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

HOME = "work-doors"
EDITORS = "editors-of-doors"
OURS = "are the platform's here"
OPEN: Manifest = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "open", "namespace": HOME},
    "spec": {"podSelector": {}, "policyTypes": ["Egress"], "egress": [{}]},
}
INGRESS: Manifest = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "Ingress",
    "metadata": {"name": "auth", "namespace": HOME},
    "spec": {
        "ingressClassName": "istio",
        "defaultBackend": {"service": {"name": "mine", "port": {"number": 80}}},
    },
}


def service(**spec: object) -> Manifest:
    ports = [{"name": "http", "port": 80, "protocol": "TCP"}]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "mine", "namespace": HOME},
        "spec": {"selector": {"app": "mine"}, "ports": ports, **spec},
    }


def objects() -> Iterator[Manifest]:
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME, "labels": {QUEUED: "yes"}}}
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "editors", "namespace": HOME},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": EDITORS}],
    }

    def program() -> None:
        teams = pulumi.ComponentResource("atoll:platform:Teams", "teams")
        door_guard(parent=teams)
        profile_guard(parent=teams)

    found = run("sample", program=program)
    yield from (dict(each.inputs) for each in found.resources if each.type.startswith("kubernetes:admission"))


@pytest.fixture(scope="module")
def editor(kube: KubeClient) -> KubeClient:
    """Somebody who edits the namespace, once the policy is in force."""
    for each in objects():
        answer = kube.apply(each)
        assert answer.ok, answer.text
    member = kube.member_of(EDITORS)
    wait_until(
        lambda: member.apply(OPEN, dry_run=True).text, lambda said: OURS in said, what="the policy of doors is in force"
    )
    return member


@pytest.mark.parametrize(
    "door",
    [OPEN, INGRESS, service(type="LoadBalancer"), service(type="NodePort"), service(externalIPs=["192.0.2.7"])],
    ids=["network policy", "ingress", "load balancer", "node port", "address of somebody else"],
)
def test_an_editor_opens_no_way(editor: KubeClient, door: Manifest) -> None:
    answer = editor.apply(door, dry_run=True)
    assert answer.status_code == 403
    assert OURS in answer.json()["message"]


def test_an_editor_has_services_inside_the_cluster(editor: KubeClient) -> None:
    assert editor.apply(service()).ok
    assert editor.delete(service()).ok


def test_an_editor_takes_no_wall_down(kube: KubeClient, editor: KubeClient) -> None:
    wall: Manifest = {**OPEN, "metadata": {"name": "wall", "namespace": HOME}, "spec": {"podSelector": {}}}
    assert kube.apply(wall).ok
    assert editor.delete(wall).status_code == 403
    assert kube.delete(wall).ok


def test_whoever_runs_the_cluster_opens_ways(kube: KubeClient, editor: KubeClient) -> None:
    assert editor
    for each in (OPEN, INGRESS, service(type="LoadBalancer")):
        assert kube.apply(each, dry_run=True).ok


@definitions.here
def test_nobody_gets_a_namespace_from_the_dashboard(kube: KubeClient, editor: KubeClient) -> None:
    assert editor
    profile: Manifest = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Profile",
        "metadata": {"name": "mine"},
        "spec": {"owner": {"kind": "User", "name": "grace@lagoon-labs.example"}},
    }
    if not definitions.is_served(kube, profile):
        assert definitions.install(kube, "kubeflow.org", "Profile")
    assert kube.apply(profile, dry_run=True).ok
    account = f"{DASHBOARD}profiles-controller-service-account"

    def made_by_dashboard() -> requests.Response:
        return requests.post(
            f"{kube.plane.url}{kube.path(profile).rpartition('/')[0]}",
            params={"dryRun": "All"},
            json=profile,
            headers={
                "Authorization": f"Bearer {kube.plane.token}",
                "Impersonate-User": account,
                "Impersonate-Group": "system:masters",
            },
            verify=str(kube.plane.authority),
            timeout=60,
        )

    refused = wait_until(made_by_dashboard, lambda answer: not answer.ok, what="the policy of profiles is in force")
    assert refused.status_code == 403
    assert "come from the checklist" in refused.json()["message"]
