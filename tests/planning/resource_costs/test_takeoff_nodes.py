from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from takeoff_fakes import notes, resource, take, taken, urn, usd

from planning.costs.resources.resource import Resource, UnknownValue
from planning.spec.lock_content import State
from planning.values.money import Range

GROUP = "aws:eks/nodeGroup:NodeGroup"
SCALING = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
POOL = "atoll:nodepool:NodePool"
SIZES = {"minSize": 0, "desiredSize": 0, "maxSize": 4}


def disk(**ebs: Any) -> dict[str, Any]:
    return {"deviceName": "/dev/xvda", "ebs": {"volumeType": "gp3", **ebs}}


def template(name: str = "it", **inputs: Any) -> Resource:
    return resource(TEMPLATE, name, **inputs)


def with_template(group: Resource, name: str = "it") -> Resource:
    inputs = {**group.inputs, "launchTemplate": {"id": UnknownValue(), "version": UnknownValue()}}
    return replace(group, inputs=inputs, property_dependencies={"launchTemplate": (urn(TEMPLATE, name),)})


def pool(name: str = "train", **inputs: Any) -> Resource:
    hours = {"min": "0", "expected": "1000", "max": "2920"}
    return resource(POOL, name, **{"provider": "aws", "region": "us-east-1", "nodeHours": hours, **inputs})


def inside(member: Resource, owner: Resource) -> Resource:
    return replace(member, parent=owner.urn)


def group(name: str = "it", **inputs: Any) -> Resource:
    return resource(GROUP, name, **{"instanceTypes": ["p5.48xlarge"], "scalingConfig": SIZES, **inputs})


def test_what_is_desired_now_is_expected_where_no_pool_forecasts() -> None:
    machine, *_ = taken(group(scalingConfig={"minSize": 1, "desiredSize": 2, "maxSize": 3})).lines
    assert machine.quantity == Range(Decimal(730), Decimal(1460), Decimal(2190))
    assert machine.usd_per_month == usd("40179.20", "80358.40", "120537.60")


@pytest.mark.parametrize(("desired", "expected"), [(None, 1), (0, 1), (9, 3)])
def test_the_expected_size_stays_between_the_bounds(desired: int | None, expected: int) -> None:
    machine, *_ = taken(group(scalingConfig={"minSize": 1, "desiredSize": desired, "maxSize": 3})).lines
    assert machine.quantity.expected == expected * 730


def test_bounds_out_of_order_price_nothing() -> None:
    found = taken(group(scalingConfig={"minSize": 3, "desiredSize": 3, "maxSize": 1}))
    assert (found.state, found.usd_per_month) == (State.UNPRICED, None)


def test_a_group_that_may_never_run_is_priced_at_nothing() -> None:
    found = taken(group(scalingConfig={"minSize": 0, "desiredSize": 0, "maxSize": 0}))
    assert (found.state, found.usd_per_month) == (State.PRICED, usd("0"))


def test_a_pool_forecasts_and_names_the_lines() -> None:
    owner = pool("nodes-train", pool="train")
    _, found = take(owner, inside(group("nodes-train"), owner)).resources
    assert [line.key for line in found.lines] == ["pool/train/machine", "pool/train/disk"]
    assert found.lines[0].quantity == Range(Decimal(0), Decimal(1000), Decimal(2920))


def test_two_groups_of_a_pool_share_its_forecast_by_their_largest_size() -> None:
    owner = pool()
    small = inside(group("small", scalingConfig={**SIZES, "maxSize": 1}), owner)
    large = inside(group("large", scalingConfig={**SIZES, "maxSize": 3}), owner)
    off = take(owner, small, large)
    assert [taken.lines[0].quantity.expected for taken in off.resources[1:]] == [250, 750]
    assert off.bill.lines[0].quantity == Range(Decimal(0), Decimal(1000), Decimal(2920))
    assert [line.key for line in off.bill.lines] == ["pool/train/machine", "pool/train/disk"]


def test_an_unknown_forecast_is_named() -> None:
    owner = pool(nodeHours={"expected": UnknownValue()})
    _, found = take(owner, inside(group(), owner)).resources
    assert found.state is State.UNPRICED
    assert "train.nodeHours.expected is known only after creation" in notes(found)


@pytest.mark.parametrize(
    ("declared", "capacity", "usd_per_hour"),
    [
        ("", None, "55.04"),
        ("", "SPOT", "27.520"),
        ("on_demand", "ON_DEMAND", "55.04"),
        ("spot", "SPOT", "27.520"),
        ("savings_plan_12m_no_upfront", None, "38.528"),
    ],
)
def test_the_pool_says_how_machines_are_bought(declared: str, capacity: str | None, usd_per_hour: str) -> None:
    owner = pool(purchase=declared or None)
    _, found = take(owner, inside(group(capacityType=capacity), owner)).resources
    assert found.lines[0].usd_per_unit == Decimal(usd_per_hour)


@pytest.mark.parametrize(
    ("declared", "capacity", "reason"),
    [
        ("spot", "ON_DEMAND", "contradicts"),
        ("on_demand", "SPOT", "contradicts"),
        ("savings_plan_12m_no_upfront", "SPOT", "contradicts"),
        ("on_demand", "CAPACITY_BLOCK", "contradicts"),
        ("half_price", None, "not a word of terms.csv"),
        (UnknownValue(), None, "train.purchase is known only after creation"),
    ],
)
def test_a_purchase_that_contradicts_the_capacity_prices_no_machine(
    declared: object, capacity: str | None, reason: str
) -> None:
    owner = pool(purchase=declared)
    _, found = take(owner, inside(group(capacityType=capacity), owner)).resources
    machine, disks = found.lines
    assert (machine.state, disks.state, found.state) == (State.UNPRICED, State.PRICED, State.UNPRICED)
    assert reason in machine.note


def test_of_several_machine_types_the_first_is_expected_the_others_are_the_range() -> None:
    sizes = {"minSize": 1, "desiredSize": 2, "maxSize": 3}
    machine, *_ = taken(group(instanceTypes=["g6e.xlarge", "g6.xlarge", "p5.48xlarge"], scalingConfig=sizes)).lines
    assert machine.usd_per_month == usd("584.00", "2715.60", "120537.60")
    assert machine.note == "one of g6e.xlarge, g6.xlarge, p5.48xlarge: from the cheapest to the most expensive"


def test_one_machine_type_without_a_price_leaves_the_choice_unpriced() -> None:
    machine, disks = taken(group(instanceTypes=["g6.xlarge", "p9.xlarge"])).lines
    assert (machine.state, machine.usd_per_month) == (State.UNPRICED, None)
    assert "no price for aws p9.xlarge" in machine.note
    assert disks.state is State.PRICED


def test_a_choice_that_never_runs_has_no_line() -> None:
    sizes = {"minSize": 0, "desiredSize": 0, "maxSize": 0}
    assert taken(group(instanceTypes=["g6.xlarge", "t3.medium"], scalingConfig=sizes)).lines == ()


def test_disks_come_from_the_launch_template() -> None:
    disks = [disk(volumeSize=200, iops=4000, throughput=325), disk(volumeSize="100"), {"virtualName": "ephemeral0"}]
    found = taken(with_template(group()), template(blockDeviceMappings=disks))
    amounts = {line.key: line.quantity.max for line in found.lines[1:]}
    assert amounts == {"it/disk": 1200, "it/disk_iops": 4000, "it/disk_throughput": 800}


def test_a_provisioned_disk_pays_for_every_iops() -> None:
    disks = [{"ebs": {"volumeType": "io2", "volumeSize": 100, "iops": 1000}}]
    found = taken(with_template(group()), template(blockDeviceMappings=disks))
    assert {line.item: line.quantity.max for line in found.lines[1:]} == {"disk_fast": 400, "disk_fast_iops": 4000}


def test_where_nothing_is_said_eks_chooses_the_machine_and_20_gb() -> None:
    machine, disks = taken(group(instanceTypes=None)).lines
    assert (machine.item, disks.quantity.max) == ("t3.medium", 80)
    assert disks.note == "EKS chooses the kind of disk; counted as gp3"


def test_a_capacity_block_names_its_machine_in_the_template() -> None:
    made = template(instanceType="g6.xlarge", blockDeviceMappings=[disk(volumeSize=1)])
    booked = with_template(group(instanceTypes=None, capacityType="CAPACITY_BLOCK"))
    assert taken(booked, made).lines[0].item == "g6.xlarge"


@pytest.mark.parametrize(
    ("mapping", "reason"),
    [
        ({"ebs": {"volumeSize": 10}}, "blockDeviceMappings[0].ebs.volumeType is not said"),
        ({"ebs": {"volumeSize": 10, "volumeType": "gp2"}}, "'gp2' has no price here"),
        (
            {"ebs": {"volumeSize": UnknownValue(), "volumeType": "gp3"}},
            "it.blockDeviceMappings[0].ebs.volumeSize is known",
        ),
        ({"ebs": UnknownValue()}, "it.blockDeviceMappings[0].ebs.volumeType is known only after creation"),
    ],
)
def test_a_disk_that_cannot_be_counted_hides_no_machine(mapping: dict[str, Any], reason: str) -> None:
    found = taken(with_template(group()), template(blockDeviceMappings=[mapping]))
    machine, disks = found.lines
    assert (machine.state, disks.state, found.state) == (State.PRICED, State.UNPRICED, State.UNPRICED)
    assert reason in disks.note
    assert found.usd_per_month == machine.usd_per_month


def test_a_template_that_is_not_in_the_file_leaves_the_group_unpriced() -> None:
    found = taken(with_template(group()))
    assert found.state is State.UNPRICED
    assert notes(found) == "launchTemplate is not among the resources given"


def test_warm_machines_are_a_gap() -> None:
    found = taken(group(warmPoolConfig={"minSize": 2}))
    assert (found.state, found.lines[-1].state) == (State.UNPRICED, State.UNPRICED)


def test_a_scaling_group_takes_all_from_its_template() -> None:
    made = template(
        instanceType="g6.xlarge",
        instanceMarketOptions={"marketType": "spot"},
        blockDeviceMappings=[disk(volumeSize=100)],
    )
    scaling = with_template(resource(SCALING, minSize=1, desiredCapacity=1, maxSize=2))
    found = taken(scaling, made)
    assert found.usd_per_month == usd("300.00", "300.00", "600.00")


@pytest.mark.parametrize(
    ("inputs", "made", "reason"),
    [
        ({"mixedInstancesPolicy": {}}, {}, "mixedInstancesPolicy has no rule"),
        ({"maxSize": UnknownValue()}, {}, "maxSize is known only after creation"),
        ({}, {"instanceType": UnknownValue()}, "it.instanceType is known only after creation"),
        ({}, {"instanceType": "g6.xlarge", "instanceMarketOptions": {"marketType": "lease"}}, "has no rule"),
        ({}, {"instanceType": "g6.xlarge"}, "blockDeviceMappings is not said"),
    ],
)
def test_a_scaling_group_that_cannot_be_counted(inputs: dict[str, Any], made: dict[str, Any], reason: str) -> None:
    sizes = {"minSize": 0, "desiredCapacity": 1, "maxSize": 2}
    found = taken(with_template(resource(SCALING, **{**sizes, **inputs})), template(**made))
    assert found.state is State.UNPRICED
    assert reason in notes(found)


def test_a_scaling_group_without_a_template_has_no_rule() -> None:
    found = taken(resource(SCALING, minSize=0, maxSize=2, launchConfiguration="old"))
    assert (found.state, found.usd_per_month) == (State.UNPRICED, None)


def test_an_instance_may_take_its_type_from_a_template() -> None:
    machine = with_template(resource("aws:ec2/instance:Instance", rootBlockDevice={"volumeSize": 8}))
    found = taken(machine, template(instanceType="g6.xlarge"))
    assert found.lines[0].usd_per_month == usd("584.00")
    assert (found.state, found.lines[1].state) == (State.UNPRICED, State.UNPRICED)


@pytest.mark.parametrize("inputs", [{"tenancy": "dedicated"}, {"rootBlockDevice": None}])
def test_an_instance_of_which_something_has_no_rule(inputs: dict[str, Any]) -> None:
    given = {"instanceType": "g6.xlarge", "rootBlockDevice": {"volumeSize": 8, "volumeType": "gp3"}}
    found = taken(resource("aws:ec2/instance:Instance", **{**given, **inputs}))
    assert found.state is State.UNPRICED
