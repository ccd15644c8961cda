from __future__ import annotations

import base64
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

import pytest
import specs
from look import at, of_type, one

from planning.charge import range_from_inputs
from planning.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver.offline.program import Run
    from planning.spec import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], Run]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:eks/nodeGroup:NodeGroup"
POOL = "atoll:nodepool:NodePool"


def test_pools_say_what_they_are_and_how_long_they_run(aws_run: Run) -> None:
    train = one(aws_run, POOL, "pool-train")
    assert train.inputs["machine"] == "p5.48xlarge"
    assert train.inputs["purchase"] == "savings_plan_12m_no_upfront"
    assert train.inputs["pool"] == "train"
    assert range_from_inputs(train.inputs["nodeHours"]).max == Decimal(2190)


def test_a_pool_has_the_bounds_of_the_lock(aws_run: Run) -> None:
    assert at(one(aws_run, GROUP, "nodes-train"), "scalingConfig") == {"minSize": 3, "desiredSize": 3, "maxSize": 3}
    assert at(one(aws_run, GROUP, "nodes-burst"), "scalingConfig") == {"minSize": 0, "desiredSize": 0, "maxSize": 2}


def test_fabric_nodes_share_one_subnet_and_a_group_of_their_own(aws_run: Run) -> None:
    template = one(aws_run, TEMPLATE, "nodes-train")
    interfaces = at(template, "networkInterfaces")
    kinds = [interface["interfaceType"] for interface in interfaces]
    assert kinds == ["interface", *["efa-only"] * 32]
    assert [(each["networkCardIndex"], each["deviceIndex"]) for each in interfaces[:3]] == [(0, 0), (0, 1), (1, 0)]
    assert len(at(one(aws_run, GROUP, "nodes-train"), "subnetIds")) == 1
    assert len(at(one(aws_run, GROUP, "nodes-serve"), "subnetIds")) == 3


def test_a_b300_carries_no_efa_on_its_first_card(run_spec: RunSpec) -> None:
    pool = specs.pool("wide", machine="p6-b300.48xlarge", accelerator="B300-SXM-288GB", efa_interfaces=16)
    run = run_spec(specs.aws_cluster(pools=(specs.system_pool(), pool)))
    interfaces = at(one(run, TEMPLATE, "nodes-wide"), "networkInterfaces")
    assert [each["networkCardIndex"] for each in interfaces] == list(range(17))


def test_a_lone_node_has_no_fabric(run_spec: RunSpec) -> None:
    pool = specs.pool("solo", working=1, max_nodes=1, placement_group=False, node_hours=specs.amounts(0, 100, 730))
    run = run_spec(specs.aws_cluster(pools=(specs.system_pool(), pool)))
    assert "networkInterfaces" not in one(run, TEMPLATE, "nodes-solo").inputs


def test_a_placement_group_stands_only_where_the_lock_wants_one(aws_run: Run) -> None:
    groups = of_type(aws_run, "aws:ec2/placementGroup:PlacementGroup")
    assert [group.name for group in groups] == ["nodes-burst"]
    assert at(one(aws_run, TEMPLATE, "nodes-burst"), "placement", "groupName").urn == groups[0].urn


def test_a_capacity_block_names_its_machine_in_the_template_only(aws_run: Run) -> None:
    template, group = one(aws_run, TEMPLATE, "nodes-block"), one(aws_run, GROUP, "nodes-block")
    assert template.inputs["instanceType"] == "p5.48xlarge"
    assert at(template, "instanceMarketOptions", "marketType") == "capacity-block"
    assert group.inputs["capacityType"] == "CAPACITY_BLOCK"
    assert "instanceTypes" not in group.inputs
    assert "instanceType" not in one(aws_run, TEMPLATE, "nodes-train").inputs


def test_spot_pools_ask_for_spot(aws_run: Run) -> None:
    assert one(aws_run, GROUP, "nodes-serve").inputs["capacityType"] == "SPOT"
    assert one(aws_run, GROUP, "nodes-train").inputs["capacityType"] == "ON_DEMAND"


def test_burn_in_taints_only_pools_that_always_hold_nodes(aws_run: Run) -> None:
    keys = {name: [taint["key"] for taint in one(aws_run, GROUP, f"nodes-{name}").inputs.get("taints", [])]
            for name in ("system", "train", "burst", "serve")}  # fmt: skip
    assert keys == {
        "system": [],
        "train": ["nvidia.com/gpu", "atoll/burn-in"],
        "burst": ["nvidia.com/gpu"],
        "serve": ["nvidia.com/gpu"],
    }


def test_images_hold_the_driver_of_the_machine(aws_run: Run) -> None:
    assert one(aws_run, GROUP, "nodes-train").inputs["amiType"] == "AL2023_x86_64_NVIDIA"
    assert one(aws_run, GROUP, "nodes-system").inputs["amiType"] == "AL2023_x86_64_STANDARD"


def test_local_disks_become_one_scratch_space(aws_run: Run) -> None:
    data = base64.b64decode(one(aws_run, TEMPLATE, "nodes-train").inputs["userData"]).decode()
    assert "strategy: RAID0" in data
    assert "userData" not in one(aws_run, TEMPLATE, "nodes-system").inputs


def test_a_capacity_block_must_be_named_where_machines_are_really_made() -> None:
    from components.nodepool.aws_reservation import reservation
    from components.settings import Settings

    pool = specs.POOLS[4]
    bare = Settings(offline=False, allow_destroy=False, reservations={})
    with pytest.raises(InputError, match="does not say which"):
        reservation(pool, bare)
    named = Settings(offline=False, allow_destroy=False, reservations={"block": "cr-0123"})
    assert reservation(pool, named) == "cr-0123"
    assert reservation(specs.POOLS[1], bare) is None
