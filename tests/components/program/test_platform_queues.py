"""Kueue and the queues of a platform: what is guaranteed, what is lent, who is kept out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import specs
import specs_coreweave
import yaml
from look import at, one, unknowns
from platform_samples import run_part, spec_with

from components.platform.scheduling import kueue, queues
from components.stack.targets import build
from operations.offline.program import run as run_program

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

API = "kubernetes:kueue.x-k8s.io/v1beta2"
WORKS = [
    {"kind": "training", "name": name, "model": {"parameters": "7B"}, "tokens": "2B"} for name in ("train", "burst")
]
TEAMS: dict[str, Any] = {
    "workloads": [*WORKS, {"kind": "batch", "name": "prepare", "vcpus": 8}],
    "teams": [
        {"name": "vision", "workloads": ["train", "prepare"], "accelerators": 12},
        {"name": "speech", "workloads": ["train", "burst"], "accelerators": 8},
    ],
}


def kept() -> ClusterSpec:
    """Two pools of H100 for one workload, both of which keep their nodes."""
    train, block = (each for each in specs.POOLS if each.workload == "train")
    block = block.model_copy(update={"min_nodes": 2})
    return specs.aws_cluster(pools=(specs.system_pool(), train, block))


@pytest.fixture(scope="module")
def run() -> OfflineRun:
    return run_part("queues", queues.build, spec_with(specs.aws_cluster(), **TEAMS))


def of_kind(run: OfflineRun, kind: str) -> dict[str, Any]:
    found = [each for each in run.resources if each.type == f"{API}:{kind}"]
    return {at(each, "metadata", "name"): each.inputs for each in found}


def quotas(body: Any) -> dict[str, dict[str, str]]:
    (group,) = body["spec"]["resourceGroups"]
    return {
        each["name"]: {held["name"]: held["nominalQuota"] for held in each["resources"]} for each in group["flavors"]
    }


def test_a_flavor_chooses_the_nodes_of_its_pool_and_tolerates_their_taint(run: OfflineRun) -> None:
    assert of_kind(run, "ResourceFlavor")["train"]["spec"] == {
        "nodeLabels": {"atoll/pool": "train", "atoll/workload": "train"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    }


def test_the_surest_pool_comes_first(run: OfflineRun) -> None:
    held = quotas(of_kind(run, "ClusterQueue")["vision.train"])
    assert list(held) == ["train", "block"]


def test_guarantees_and_what_is_lent_are_together_the_pools(run: OfflineRun) -> None:
    found = of_kind(run, "ClusterQueue")
    lent = quotas(of_kind(run, "Cohort")["train"])
    sums = {
        pool: sum(int(quotas(found[name])[pool]["nvidia.com/gpu"]) for name in found if name.endswith(".train"))
        + int(lent[pool]["nvidia.com/gpu"])
        for pool in ("train", "block")
    }
    assert sums == {"train": 16, "block": 16}
    assert quotas(found["vision.train"])["train"] == {"nvidia.com/gpu": "12"}


def test_jobs_that_name_no_queue_have_one_without_a_guarantee(run: OfflineRun) -> None:
    found = of_kind(run, "ClusterQueue")
    assert {name for name in found if name.endswith(".train")} == {"vision.train", "speech.train", "default.train"}
    assert quotas(found["default.train"])["train"] == {"nvidia.com/gpu": "0"}
    doors = [each for each in run.resources if each.type == f"{API}:LocalQueue"]
    named = {(at(each, "metadata", "namespace"), at(each, "metadata", "name")): at(each, "spec", "clusterQueue")
             for each in doors}  # fmt: skip
    assert named["work-train", "default"] == "default.train"
    assert named["work-burst", "default"] == named["work-burst", "speech"] == "speech.burst"


def test_a_workload_without_accelerators_has_no_quota_but_the_nodes(run: OfflineRun) -> None:
    assert quotas(of_kind(run, "ClusterQueue")["vision.prepare"]) == {"any.node": {"pods": "100000"}}


def test_the_order_in_the_queue_is_that_of_the_nodes(run: OfflineRun) -> None:
    found = {name: body["value"] for name, body in of_kind(run, "WorkloadPriorityClass").items()}
    assert found["atoll-interactive"] > found["atoll-training"] > found["atoll-batch"]


def test_a_pool_that_a_scaler_fills_has_no_topology(run: OfflineRun) -> None:
    assert of_kind(run, "Topology") == {}


def test_pools_that_keep_their_nodes_are_filled_by_the_topology() -> None:
    workloads = {**TEAMS, "workloads": TEAMS["workloads"][:1], "teams": []}
    found = run_part("queues", queues.build, spec_with(kept(), **workloads))
    levels = of_kind(found, "Topology")["fabric"]["spec"]["levels"]
    assert levels[-1] == {"nodeLabel": "kubernetes.io/hostname"}
    assert {body["spec"]["topologyName"] for body in of_kind(found, "ResourceFlavor").values()} == {"fabric"}
    assert quotas(of_kind(found, "ClusterQueue")["everybody.train"])["train"] == {
        "nvidia.com/gpu": "16",
        "pods": "100000",
    }


def test_nodes_without_labels_are_counted_and_not_chosen() -> None:
    found = run_part("queues", queues.build, spec_with())
    flavors = of_kind(found, "ResourceFlavor")
    assert flavors
    assert all("nodeLabels" not in body["spec"] for body in flavors.values())


def test_slices_are_counted_as_slices() -> None:
    lab = {"kind": "notebooks", "name": "burst", "frameworks": ["pytorch"]}
    changes = {"workloads": [lab], "platform": {"sharing": "mig", "mig_profile": "all-1g.10gb"}}
    ours = specs.aws_cluster()
    ours = ours.model_copy(update={"profile": ours.profile.model_copy(update={"gpu_driver": "atoll"})})
    found = run_part("queues", queues.build, spec_with(ours, **changes))
    assert quotas(of_kind(found, "ClusterQueue")["everybody.burst"])["burst"] == {"nvidia.com/mig-1g.10gb": "112"}


def test_jobs_over_a_fabric_find_what_to_tell_nccl(run: OfflineRun) -> None:
    said = one(run, "kubernetes:core/v1:ConfigMap", "train-nccl")
    assert at(said, "data", "FI_PROVIDER") == "efa"


def test_a_pod_that_goes_round_the_queue_is_refused_in_the_namespaces_that_wait(run: OfflineRun) -> None:
    policy = one(run, "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy", "atoll-queues")
    selector = at(policy, "spec", "matchConstraints", "namespaceSelector")
    assert selector == at_configuration("managedJobsNamespaceSelector")
    binding = one(run, "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding", "atoll-queues")
    assert at(binding, "spec", "validationActions") == ["Deny"]


def at_configuration(key: str) -> Any:
    return json.loads(json.dumps(kueue.configuration()))[key]


def test_kueue_manages_every_pod_of_these_namespaces_and_counts_accelerators_alone() -> None:
    found = run_part("kueue", kueue.build, spec_with(specs.aws_cluster(), **TEAMS))
    release = one(found, "kubernetes:helm.sh/v3:Release", "kueue")
    said = yaml.safe_load(at(release, "values", "managerConfig", "controllerManagerConfigYaml"))
    assert said["manageJobsWithoutQueueName"] is True
    assert "pod" in said["integrations"]["frameworks"]
    assert {"cpu", "memory"} <= set(said["resources"]["excludeResourcePrefixes"])
    assert at(release, "values", "enablePrometheus") is True


def test_roles_made_of_other_roles_are_let_go_before_the_chart_and_told_anew_with_each_revision() -> None:
    found = run_part("kueue", kueue.build, spec_with(specs.aws_cluster(), **TEAMS))
    release = one(found, "kubernetes:helm.sh/v3:Release", "kueue")
    for role in ("batch-admin", "batch-user"):
        told = one(found, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRolePatch", f"kueue-{role}")
        assert told.parent == release.urn
        assert at(told, "metadata", "name") == f"kueue-{role}-role"
        assert list(unknowns(at(told, "metadata", "annotations")))  # the revision, which is known once it is there
        (chosen,) = told.inputs["aggregationRule"]["clusterRoleSelectors"]
        label = f"rbac.kueue.x-k8s.io/{role}"  # by another way than the chart's matchLabels, or Helm would own it too
        assert chosen == {"matchExpressions": [{"key": label, "operator": "In", "values": ["true"]}]}


def spanning(home: ClusterSpec) -> Callable[[], None]:
    def program() -> None:
        build((home, *specs.PLACEMENTS[1:]), joined=True)

    return program


def test_what_a_spanning_stack_sends_waits_for_the_one_kueue_at_home() -> None:
    home = spec_with(specs.PLACEMENTS[0], workloads=WORKS)
    found = run_program("sample", program=spanning(home))
    at_home = [
        each for each in found.resources if each.type == "atoll:platform:Kueue" and "atoll:placement:" not in each.urn
    ]
    assert [each.name for each in at_home] == ["kueue"]
    names = [at(each, "metadata", "name") for each in found.resources if each.type == f"{API}:ClusterQueue"
             and "atoll:placement:" not in each.urn]  # fmt: skip
    assert len(names) == len(set(names))


def test_coreweave_is_told_which_cards_are_its_fabric() -> None:
    spec = specs_coreweave.coreweave_cluster()
    work = next(pool.workload for pool in spec.pools if pool.accelerators)
    changes = {"workloads": [{**WORKS[0], "name": work}]}
    found = run_part("queues", queues.build, spec_with(spec, **changes))
    assert {at(each, "data", "NCCL_IB_HCA") for each in found.resources if each.type.endswith(":ConfigMap")} == {"ibp"}
