"""What the existing-cluster example forbids, said by a real API server: pod security, quotas, other teams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from existing_plan import TEAMS
from pods import SAFE, gpu_pod, pod

from components.context.names import namespace

if TYPE_CHECKING:
    from conftest import Applied
    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

HOME, OTHER = (namespace(team) for team in TEAMS)


def group_only_at_home(applied: Applied, role: str) -> str:
    """The group that the plan gives a role in one team's namespace, and no role in the other's."""
    bound: dict[str, set[str]] = {HOME: set(), OTHER: set()}
    for each in applied.objects:
        if each["kind"] == "RoleBinding":
            groups = {subject["name"] for subject in each["subjects"] if subject["kind"] == "Group"}
            if each["metadata"]["namespace"] == OTHER or each["roleRef"]["name"] == role:
                bound[each["metadata"]["namespace"]] |= groups
    only = bound[HOME] - bound[OTHER]
    assert len(only) == 1, f"no group has the role {role} in one team alone: {bound}"
    return only.pop()


def secret(home: str) -> Manifest:
    named = {"name": "token", "namespace": home}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": named, "stringData": {"token": "kept"}}


def service_account(home: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "own", "namespace": home}}


def work_namespace(applied: Applied) -> str:
    return next(each["metadata"]["namespace"] for each in applied.objects if each["kind"] == "ResourceQuota")


def test_a_privileged_pod_is_refused(kube: KubeClient, example: Applied) -> None:
    answer = kube.apply(pod("privileged", work_namespace(example), security={"privileged": True}))
    assert answer.status_code == 403
    assert 'violates PodSecurity "restricted:latest"' in answer.json()["message"]


def test_a_pod_of_the_hosts_network_is_refused(kube: KubeClient, example: Applied) -> None:
    outward = pod("outward", work_namespace(example), security=SAFE)
    outward["spec"]["hostNetwork"] = True
    answer = kube.apply(outward)
    assert answer.status_code == 403
    assert "host namespaces" in answer.json()["message"]


def test_a_pod_over_the_accelerator_quota_is_refused(kube: KubeClient, example: Applied) -> None:
    pool = example.pool("gpu")
    over = pool.accelerators * pool.working + 1
    answer = kube.apply(gpu_pod("over", work_namespace(example), pool=pool.name, gpus=over))
    assert answer.status_code == 403
    assert f"exceeded quota: accelerators, requested: requests.nvidia.com/gpu={over}" in answer.json()["message"]


@pytest.mark.parametrize("role", ["edit", "view"])
def test_a_member_of_a_team_cannot_read_another_team(kube: KubeClient, two_teams: Applied, role: str) -> None:
    assert kube.apply(secret(OTHER)).ok
    member = kube.member_of(group_only_at_home(two_teams, role))
    assert member.list_in(HOME, "pods").status_code == 200
    for plural in ("pods", "secrets", "configmaps", "events", "persistentvolumeclaims"):
        assert member.list_in(OTHER, plural).status_code == 403, plural
        assert member.list_in("", plural).status_code == 403, plural
    refused = member.get(secret(OTHER))
    assert refused.status_code == 403
    assert "kept" not in refused.text


def test_an_engineer_works_at_home_and_nowhere_else(kube: KubeClient, two_teams: Applied) -> None:
    engineer = kube.member_of(group_only_at_home(two_teams, "edit"))
    assert engineer.apply(secret(HOME)).ok
    assert engineer.get(secret(HOME)).ok
    assert engineer.apply(pod("mine", HOME), dry_run=True).ok
    assert engineer.apply(pod("theirs", OTHER), dry_run=True).status_code == 403


def test_an_engineer_cannot_raise_the_own_quota_or_rights(kube: KubeClient, two_teams: Applied) -> None:
    engineer = kube.member_of(group_only_at_home(two_teams, "edit"))
    bounds = [each for each in two_teams.objects if each["kind"] in {"ResourceQuota", "RoleBinding", "NetworkPolicy"}]
    at_home = [each for each in bounds if each["metadata"]["namespace"] == HOME]
    refused = {each["kind"] for each in at_home if engineer.apply(each, dry_run=True).status_code == 403}
    assert refused >= {"ResourceQuota", "RoleBinding"}


def test_a_viewer_sees_pods_and_changes_nothing(kube: KubeClient, two_teams: Applied) -> None:
    viewer = kube.member_of(group_only_at_home(two_teams, "view"))
    assert viewer.list_in(HOME, "pods").ok
    assert viewer.list_in(HOME, "secrets").status_code == 403
    assert viewer.apply(service_account(HOME), dry_run=True).status_code == 403


def test_an_admin_reads_every_team(kube: KubeClient, two_teams: Applied) -> None:
    everywhere = [each for each in two_teams.objects if each["kind"] == "RoleBinding"]
    groups = [{subject["name"] for subject in each["subjects"]} for each in everywhere]
    (admins,) = {name for held in groups for name in held if sum(name in each for each in groups) == len(TEAMS)}
    for home in (HOME, OTHER):
        assert kube.member_of(admins).list_in(home, "secrets").ok
