"""What people may do once they are in: kubeconfigs, rights of the whole cluster, accounts on nodes."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, TypeAlias

import pytest
import specs
from look import at, of_type, one

from catalogs.catalog import load
from components.connectivity.ssh import SCRIPT
from operations.plans.plan import differences
from operations.plans.price_book import as_book
from planning.costs.resources.stack_cost import price_resources
from planning.quoting.candidates.market import Market
from planning.quoting.option import bill

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

ENTRY = "aws:eks/accessEntry:AccessEntry"
BINDING = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"
ROLE = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"


def test_each_role_has_a_kubeconfig(aws_run: OfflineRun) -> None:
    found = aws_run.exports["kubeconfigs"]
    assert isinstance(found, dict)
    assert set(found) == {"admin", "engineer", "viewer"}


def test_a_role_of_one_workload_is_in_the_groups_of_that_workload_only(aws_run: OfflineRun) -> None:
    groups = {each.name: each.inputs.get("kubernetesGroups") for each in of_type(aws_run, ENTRY)}
    assert groups["engineer-train"] == ["atoll:train:engineer"]
    assert groups["viewer-serve"] == ["atoll:serve:viewer"]
    assert len([name for name in groups if name.startswith(("engineer", "viewer"))]) == 6
    policies = of_type(aws_run, "aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    assert [each.name for each in policies] == ["admin"]


def test_what_everybody_reads_holds_no_secret_and_no_pod(existing_run: OfflineRun) -> None:
    for rule in at(one(existing_run, ROLE, "atoll-reader"), "rules"):
        assert not {"pods", "secrets", "configmaps"} & set(rule["resources"])
        assert rule["verbs"] == ["get", "list", "watch"]
    for rule in at(one(existing_run, ROLE, "atoll-admin"), "rules"):
        assert "secrets" not in rule["resources"]
        assert "*" not in (*rule["resources"], *rule["verbs"])


def test_only_admins_turn_nodes(existing_run: OfflineRun) -> None:
    subjects = {each.name: [who["name"] for who in at(each, "subjects")] for each in of_type(existing_run, BINDING)}
    assert subjects == {
        "atoll-reader": ["atoll:admin", "atoll:burst:engineer", "atoll:burst:viewer"],
        "atoll-admin": ["atoll:admin"],
    }


def test_accounts_stand_on_every_node_but_the_control_plane_for_users_with_a_key(existing_ways_run: OfflineRun) -> None:
    keys = one(existing_ways_run, "kubernetes:core/v1:ConfigMap", "ssh")
    assert keys.inputs["data"] == {"ada": f"{specs.KEY}\n"}
    pod = at(one(existing_ways_run, "kubernetes:apps/v1:DaemonSet", "ssh"), "spec", "template", "spec")
    (term,) = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == {"matchExpressions": [{"key": "node-role.kubernetes.io/control-plane", "operator": "DoesNotExist"}]}
    (container,) = pod["containers"]
    assert container["securityContext"].get("privileged") is None
    assert "hostNetwork" not in pod


def test_where_the_profile_forbids_ssh_nothing_is_put_on_nodes(run_spec: RunSpec) -> None:
    spec = specs.with_ways(specs.existing_cluster(), kind="in_cluster")
    found = run_spec(spec.model_copy(update={"profile": spec.profile.model_copy(update={"forbidden": ("ssh",)})}))
    assert not [each for each in found.resources if each.type == "atoll:access:Ssh"]


@pytest.mark.parametrize("which", ["aws", "existing"])
def test_both_sides_of_the_money_agree_about_the_ways_in_and_out(request: pytest.FixtureRequest, which: str) -> None:
    cluster, kind = {"aws": (specs.aws_cluster(), "machine"), "existing": (specs.existing_cluster(), "in_cluster")}[
        which
    ]
    catalog = load()
    counted = price_resources(request.getfixturevalue(f"{which}_ways_run").resources, catalog=as_book(catalog)).bill
    accepted = bill(specs.with_ways(cluster, kind=kind), Market(catalog))
    mine = ("access/", "network/link", "network/public", "network/load")
    assert [each for each in differences(accepted, counted) if each.key.startswith(mine)] == []
    keys = {line.key for line in counted.lines if line.key.startswith(mine)}
    wanted = {
        "aws": {"access/vpn/machine", "access/vpn/disk", "access/vpn/address"},
        "existing": {"access/vpn/load_balancer", "network/link/vpn_connection", "network/link/data"},
    }
    assert keys >= wanted[which]
    assert all(line.usd_per_month for line in counted.lines if "link" in line.key or "vpn/machine" in line.key)


def test_the_script_of_the_accounts_is_one_that_a_shell_reads() -> None:
    done = subprocess.run(["/bin/sh", "-n", "-c", SCRIPT], capture_output=True, env=os.environ, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
