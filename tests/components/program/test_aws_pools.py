from __future__ import annotations

import base64
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
import specs
from look import at, of_type, one

from planning.costs.bill import range_from_inputs
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:eks/nodeGroup:NodeGroup"
ELASTIC = "kubernetes:karpenter.sh/v1:NodePool"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
BURN_IN = "atoll/burn-in"
POOL = "atoll:nodepool:NodePool"


def money_differs(run: OfflineRun, spec: ClusterSpec) -> tuple[object, ...]:
    from catalogs.catalog import load
    from operations.plans.plan import differences
    from operations.plans.price_book import as_book
    from planning.costs.resources.stack_cost import price_resources
    from planning.quoting.candidates.market import Market
    from planning.quoting.option import bill

    catalog = load()
    counted = price_resources(run.resources, catalog=as_book(catalog)).bill
    return differences(bill(spec, Market(catalog)), counted)


def test_pools_say_what_they_are_and_how_long_they_run(aws_run: OfflineRun) -> None:
    train = one(aws_run, POOL, "pool-train")
    assert train.inputs["machine"] == "p5.48xlarge"
    assert train.inputs["purchase"] == "savings_plan_12m_no_upfront"
    assert train.inputs["pool"] == "train"
    assert range_from_inputs(train.inputs["nodeHours"]).max == Decimal(2190)


def spec_of(run: OfflineRun, token: str, name: str) -> dict[str, Any]:
    return one(run, token, name).inputs["spec"]


def required(run: OfflineRun, name: str) -> dict[str, list[str]]:
    found = spec_of(run, ELASTIC, name)["template"]["spec"]["requirements"]
    assert {each["operator"] for each in found} == {"In"}
    return {each["key"].rpartition("/")[2]: each["values"] for each in found}


def test_nodes_that_stay_are_a_group_and_the_rest_is_karpenters(aws_run: OfflineRun) -> None:
    assert {group.name for group in of_type(aws_run, GROUP)} == {"nodes-system", "nodes-train"}
    assert {pool.name for pool in of_type(aws_run, ELASTIC)} == {"nodes-burst", "nodes-serve", "nodes-block"}
    assert at(one(aws_run, GROUP, "nodes-train"), "scalingConfig") == {"minSize": 3, "desiredSize": 3, "maxSize": 3}
    assert spec_of(aws_run, ELASTIC, "nodes-burst")["limits"] == {"nodes": "2", "cpu": "384"}


def test_a_pool_that_always_holds_some_nodes_is_both(run_spec: RunSpec) -> None:
    pool = specs.pool("mixed", min_nodes=1, max_nodes=4, working=4, node_hours=specs.amounts(730, 900, 2920))
    run = run_spec(specs.aws_cluster(pools=(specs.system_pool(), pool)))
    assert at(one(run, GROUP, "nodes-mixed"), "scalingConfig", "maxSize") == 1
    assert spec_of(run, ELASTIC, "nodes-mixed")["limits"]["nodes"] == "3"
    assert money_differs(run, specs.aws_cluster(pools=(specs.system_pool(), pool))) == ()


def test_fabric_nodes_share_one_subnet_and_a_group_of_their_own(aws_run: OfflineRun) -> None:
    template = one(aws_run, TEMPLATE, "nodes-train")
    interfaces = at(template, "networkInterfaces")
    kinds = [interface["interfaceType"] for interface in interfaces]
    assert kinds == ["interface", *["efa-only"] * 32]
    assert [(each["networkCardIndex"], each["deviceIndex"]) for each in interfaces[:3]] == [(0, 0), (0, 1), (1, 0)]
    assert len(at(one(aws_run, GROUP, "nodes-train"), "subnetIds")) == 1
    burst, serve = spec_of(aws_run, CLASS, "nodes-burst"), spec_of(aws_run, CLASS, "nodes-serve")
    assert [each["interfaceType"] for each in burst["networkInterfaces"]] == kinds
    assert (len(burst["subnetSelectorTerms"]), len(serve["subnetSelectorTerms"])) == (1, 3)
    group = one(aws_run, "aws:ec2/securityGroup:SecurityGroup", "nodes-burst-fabric")
    assert burst["securityGroupSelectorTerms"][1] == {"tags": {"Name": at(group, "tags", "Name")}}


def test_karpenter_finds_the_subnets_by_the_names_they_have(aws_run: OfflineRun) -> None:
    names = {at(subnet, "tags", "Name") for subnet in of_type(aws_run, "aws:ec2/subnet:Subnet")}
    for made_of in of_type(aws_run, CLASS):
        assert {term["tags"]["Name"] for term in at(made_of, "spec", "subnetSelectorTerms")} <= names
    assert spec_of(aws_run, CLASS, "nodes-serve")["role"] == one(aws_run, "aws:iam/role:Role", "node").inputs["name"]


def test_a_b300_carries_no_efa_on_its_first_card(run_spec: RunSpec) -> None:
    pool = specs.pool("wide", machine="p6-b300.48xlarge", accelerator="B300-SXM-288GB", efa_interfaces=16)
    fixed = specs.pool("wide-fixed", machine="p6-b300.48xlarge", accelerator="B300-SXM-288GB", efa_interfaces=16,
                       min_nodes=2, node_hours=specs.amounts(1460, 1460, 1460))  # fmt: skip
    run = run_spec(specs.aws_cluster(pools=(specs.system_pool(), pool, fixed)))
    for interfaces in (
        spec_of(run, CLASS, "nodes-wide")["networkInterfaces"],
        at(one(run, TEMPLATE, "nodes-wide-fixed"), "networkInterfaces"),
    ):
        assert [each["networkCardIndex"] for each in interfaces] == list(range(17))


def test_a_lone_node_has_no_fabric(run_spec: RunSpec) -> None:
    pool = specs.pool("solo", working=1, max_nodes=1, placement_group=False, node_hours=specs.amounts(0, 100, 730))
    run = run_spec(specs.aws_cluster(pools=(specs.system_pool(), pool)))
    assert "networkInterfaces" not in spec_of(run, CLASS, "nodes-solo")


def test_a_placement_group_stands_only_where_the_lock_wants_one(aws_run: OfflineRun) -> None:
    (group,) = of_type(aws_run, "aws:ec2/placementGroup:PlacementGroup")
    assert group.name == "nodes-burst"
    assert spec_of(aws_run, CLASS, "nodes-burst")["placementGroupSelector"] == {"name": group.inputs["name"]}


def test_a_capacity_block_is_started_in_and_in_nothing_else(aws_run: OfflineRun) -> None:
    assert required(aws_run, "nodes-block")["capacity-type"] == ["reserved"]
    assert "capacityReservationSelectorTerms" in spec_of(aws_run, CLASS, "nodes-block")
    assert "capacityReservationSelectorTerms" not in spec_of(aws_run, CLASS, "nodes-burst")


def test_what_is_reserved_is_never_taken_away_and_what_is_busy_neither(aws_run: OfflineRun) -> None:
    block, burst = (spec_of(aws_run, ELASTIC, f"nodes-{name}")["disruption"] for name in ("block", "burst"))
    assert (block["consolidateAfter"], block["budgets"]) == ("Never", [{"nodes": "0"}])
    assert burst["consolidationPolicy"] == "WhenEmpty"
    assert {"nodes": "0", "reasons": ["Underutilized", "Drifted"]} in burst["budgets"]
    assert spec_of(aws_run, ELASTIC, "nodes-burst")["template"]["spec"]["expireAfter"] == "Never"


def test_spot_falls_back_to_on_demand_only_where_the_lock_says_so(aws_run: OfflineRun, run_spec: RunSpec) -> None:
    assert required(aws_run, "nodes-serve")["capacity-type"] == ["spot"]
    pool = specs.POOLS[3].model_copy(update={"fallback": "on_demand"})
    spec = specs.aws_cluster(pools=(specs.system_pool(), pool))
    run = run_spec(spec)
    assert required(run, "nodes-serve")["capacity-type"] == ["spot", "on-demand"]
    assert money_differs(run, spec) == ()


def test_a_spot_pool_takes_no_reservation() -> None:
    from components.clouds.aws.nodepools.karpenter import capacity_types

    serve, burst = specs.POOLS[3], specs.POOLS[2]
    assert capacity_types(serve, reserved=False) == ("spot",)
    assert capacity_types(burst, reserved=True) == ("reserved", "on-demand")


def test_burn_in_taints_only_nodes_that_stay(aws_run: OfflineRun) -> None:
    assert [taint["key"] for taint in at(one(aws_run, GROUP, "nodes-train"), "taints")] == ["nvidia.com/gpu", BURN_IN]
    assert one(aws_run, GROUP, "nodes-system").inputs.get("taints", []) == []
    for name in ("burst", "serve"):
        taints = spec_of(aws_run, ELASTIC, f"nodes-{name}")["template"]["spec"]["taints"]
        assert taints == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]


def test_images_hold_the_driver_of_the_machine(aws_run: OfflineRun) -> None:
    assert one(aws_run, GROUP, "nodes-train").inputs["amiType"] == "AL2023_x86_64_NVIDIA"
    assert one(aws_run, GROUP, "nodes-system").inputs["amiType"] == "AL2023_x86_64_STANDARD"


def test_local_disks_become_one_scratch_space(aws_run: OfflineRun) -> None:
    data = base64.b64decode(one(aws_run, TEMPLATE, "nodes-train").inputs["userData"]).decode()
    assert "strategy: RAID0" in data
    assert spec_of(aws_run, CLASS, "nodes-burst")["instanceStorePolicy"] == "RAID0"
    assert "userData" not in one(aws_run, TEMPLATE, "nodes-system").inputs


def test_a_capacity_block_must_be_named_where_machines_are_really_made() -> None:
    from components.clouds.aws.nodepools.nodepool import find_reservation
    from components.context.settings import StackSettings

    pool = specs.POOLS[4]
    bare = StackSettings(offline=False, allow_destroy=False, reservations={})
    with pytest.raises(InputError, match="does not say which"):
        find_reservation(pool, bare)
    named = StackSettings(offline=False, allow_destroy=False, reservations={"block": "cr-0123"})
    assert find_reservation(pool, named) == "cr-0123"
    assert find_reservation(specs.POOLS[1], bare) is None
    wrong = StackSettings(offline=False, allow_destroy=False, reservations={"block": "my-block"})
    with pytest.raises(InputError, match="no id of a capacity reservation"):
        find_reservation(pool, wrong)
