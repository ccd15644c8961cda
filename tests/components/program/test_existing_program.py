from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import specs
from look import at, of_type, one, unknowns

from components.clouds.existing.cluster.control_plane import read_checked_kubeconfig
from planning.costs.bill import from_inputs
from planning.costs.charges import list_declared_charges
from planning.costs.resources.resource import Secret
from planning.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from operations.offline.program import OfflineRun
    from planning.costs.resources.resource import Resource

NAMESPACE = "kubernetes:core/v1:Namespace"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
ENFORCE = "pod-security.kubernetes.io/enforce"


def test_the_kubeconfig_is_a_secret_and_the_context_is_the_locks(existing_run: OfflineRun) -> None:
    provider = one(existing_run, "pulumi:providers:kubernetes", "cluster")
    assert provider.inputs["kubeconfig"] == Secret()
    assert provider.inputs["context"] == "lambda"


def test_every_object_goes_into_that_cluster(existing_run: OfflineRun) -> None:
    provider = one(existing_run, "pulumi:providers:kubernetes", "cluster")
    objects = [each for each in existing_run.resources if each.type.startswith("kubernetes:")]
    assert objects
    assert all(each.provider == provider.urn for each in objects)


def test_what_the_provider_bills_is_declared_whole(existing_run: OfflineRun) -> None:
    rented = one(existing_run, "atoll:contract:Rented", "rented")
    assert (rented.inputs["provider"], rented.inputs["region"]) == ("lambda", "us-south-2")
    carried = [from_inputs(charge) for charge in rented.inputs["charges"]]
    assert carried == list(list_declared_charges(specs.existing_cluster())["rented"])
    assert not list(unknowns(dict(rented.inputs)))


def test_tenants_are_restricted_and_the_system_is_not(existing_run: OfflineRun) -> None:
    levels = {each.name: at(each, "metadata", "labels")[ENFORCE] for each in of_type(existing_run, NAMESPACE)}
    assert levels == {"atoll-system": "privileged", "work-burst": "restricted"}


def test_a_tenant_may_hold_the_accelerators_of_its_working_nodes(existing_run: OfflineRun) -> None:
    quota = one(existing_run, "kubernetes:core/v1:ResourceQuota", "burst-accelerators")
    assert at(quota, "spec", "hard") == {"requests.nvidia.com/gpu": "16"}
    assert at(quota, "metadata", "namespace") == "work-burst"


def test_spares_are_no_part_of_a_tenants_share(aws_run: OfflineRun) -> None:
    quota = one(aws_run, "kubernetes:core/v1:ResourceQuota", "train-accelerators")
    assert at(quota, "spec", "hard") == {"requests.nvidia.com/gpu": str(8 * 2 + 8 * 2)}


def tenants(run: OfflineRun, token: str) -> list[Resource]:
    """Objects of the workloads' namespaces: that of the burn-in has a fence of the platform's kind."""
    return [each for each in of_type(run, token) if at(each, "metadata", "namespace") != "burn-in"]


def test_every_tenant_is_shut_before_anything_is_allowed(aws_run: OfflineRun) -> None:
    homes = {at(policy, "metadata", "namespace") for policy in tenants(aws_run, POLICY)}
    assert homes == {"work-train", "work-burst", "work-serve"}
    for policy in tenants(aws_run, POLICY):
        if policy.name.endswith("default-deny"):
            assert at(policy, "spec") == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_nobody_outside_the_namespace_is_let_in(aws_run: OfflineRun) -> None:
    for policy in tenants(aws_run, POLICY):
        for rule in policy.inputs["spec"].get("ingress", []):
            assert rule == {"from": [{"podSelector": {}}]}


def test_pods_never_reach_the_nodes_metadata(existing_run: OfflineRun) -> None:
    policy = one(existing_run, POLICY, "burst-allow-https")
    assert at(policy, "spec", "egress", 0, "to", 0, "ipBlock", "except") == ["169.254.169.254/32"]


def test_groups_have_the_roles_of_their_names_inside_their_namespace_only(existing_run: OfflineRun) -> None:
    bindings = of_type(existing_run, "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")
    found = {(at(each, "subjects", 0, "name"), at(each, "roleRef", "name")) for each in bindings}
    assert found == {("atoll:admin", "admin"), ("atoll:burst:engineer", "edit"), ("atoll:burst:viewer", "view")}
    wide = of_type(existing_run, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")
    assert {at(each, "roleRef", "name") for each in wide} == {"atoll-reader", "atoll-admin"}


def test_no_group_but_the_admins_has_rights_in_two_workloads(aws_run: OfflineRun) -> None:
    homes: dict[object, set[object]] = {}
    for each in tenants(aws_run, "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding"):
        if at(each, "subjects", 0, "kind") == "Group":
            homes.setdefault(at(each, "subjects", 0, "name"), set()).add(at(each, "metadata", "namespace"))
    everywhere = {"work-train", "work-burst", "work-serve"}
    assert homes.pop("atoll:admin") == everywhere
    assert sorted(len(held) for held in homes.values()) == [1] * 6


def test_storage_classes_stand_only_where_somebody_provisions_them(
    existing_run: OfflineRun, aws_run: OfflineRun
) -> None:
    token = "kubernetes:storage.k8s.io/v1:StorageClass"
    assert [each.name for each in of_type(existing_run, token)] == ["atoll-hot"]
    assert [each.name for each in of_type(aws_run, token)] == ["atoll-hot", "atoll-disk", "atoll-shared"]


def test_with_an_engine_a_missing_kubeconfig_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATOLL_TEST_KUBECONFIG", raising=False)
    spec = specs.existing_cluster()
    with pytest.raises(InputError, match="ATOLL_TEST_KUBECONFIG is not set"):
        read_checked_kubeconfig(spec.existing, oldest="")


def test_with_an_engine_a_lost_kubeconfig_is_said_plainly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATOLL_TEST_KUBECONFIG", str(tmp_path / "none"))
    spec = specs.existing_cluster()
    with pytest.raises(InputError, match="cannot be read"):
        read_checked_kubeconfig(spec.existing, oldest="")
