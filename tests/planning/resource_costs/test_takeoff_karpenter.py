"""What Karpenter may start: bounded by the pool's limit, foreseen by its component, priced as it is bought."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from takeoff_fakes import notes, resource, take, taken, usd

from planning.costs.resources.resource import Resource, UnknownValue
from planning.spec.lock_content import State
from planning.values.money import Range

ELASTIC = "kubernetes:karpenter.sh/v1:NodePool"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
OWNER = "atoll:nodepool:NodePool"
GROUP = "aws:eks/nodeGroup:NodeGroup"


def owner(**inputs: Any) -> Resource:
    hours = {"min": "0", "expected": "1000", "max": "2920"}
    said = {"provider": "aws", "region": "us-east-1", "pool": "train", "purchase": "on_demand", "nodeHours": hours,
            "vcpus": 192}  # fmt: skip
    return resource(OWNER, "pool-train", **{**said, **inputs})


def inside(member: Resource, above: Resource) -> Resource:
    return replace(member, parent=above.urn)


def node_class(name: str = "train", **disk: Any) -> Resource:
    ebs = {"volumeType": "gp3", "volumeSize": "100Gi", **disk}
    spec = {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": ebs}]}
    return resource(CLASS, name, metadata={"name": name}, spec=spec)


def node_pool(*capacity: str, cores: object = 768, machines: tuple[str, ...] = ("p5.48xlarge",)) -> Resource:
    required = {
        "node.kubernetes.io/instance-type": list(machines),
        "karpenter.sh/capacity-type": list(capacity or ("on-demand",)),
    }
    node = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "train"},
        "requirements": [{"key": key, "operator": "In", "values": values} for key, values in required.items()],
    }
    limits = {"nodes": "99"} if cores is None else {"nodes": "99", "cpu": cores}
    return resource(ELASTIC, "train", metadata={"name": "train"}, spec={"template": {"spec": node}, "limits": limits})


def counted(subject: Resource, above: Resource | None = None, *others: Resource) -> Any:
    above = above or owner()
    around = [inside(each, above) for each in (node_class(), *others)]
    return taken(inside(subject, above), above, *around)


def test_a_pool_is_priced_up_to_its_limit() -> None:
    machine, disk = counted(node_pool()).lines
    assert (machine.key, machine.item) == ("pool/train/machine", "p5.48xlarge")
    assert machine.quantity == Range(Decimal(0), Decimal(1000), Decimal(2920))
    assert machine.usd_per_month == usd("0", "55040.00", "160716.80")
    assert disk.key == "pool/train/disk"
    assert disk.quantity.max == Decimal(400)


def test_the_limit_of_the_object_bounds_what_its_component_foresees() -> None:
    machine, _ = counted(node_pool(cores="192")).lines
    assert machine.quantity == Range(Decimal(0), Decimal(730), Decimal(730))


def test_what_a_managed_group_of_the_pool_always_holds_is_not_counted_twice() -> None:
    above = owner(nodeHours={"min": "730", "expected": "1000", "max": "2920"})
    sizes = {"minSize": 1, "desiredSize": 1, "maxSize": 1}
    group = resource(GROUP, "fixed", instanceTypes=["p5.48xlarge"], scalingConfig=sizes, diskSize=100)
    members = [inside(each, above) for each in (node_pool(cores="576"), group, node_class())]
    bill = take(above, *members).bill
    machine = next(line for line in bill.lines if line.key == "pool/train/machine")
    assert machine.quantity == Range(Decimal(730), Decimal(1000), Decimal(2920))


def test_spot_that_falls_back_costs_on_demand_at_most() -> None:
    machine, _ = counted(node_pool("spot", "on-demand"), owner(purchase="spot")).lines
    assert machine.usd_per_month == usd("0", "27520.00", "160716.80")
    assert "at most on demand" in machine.note
    alone, _ = counted(node_pool("spot"), owner(purchase="spot")).lines
    assert alone.usd_per_month == usd("0", "27520.00", "80358.40")


@pytest.mark.parametrize(
    ("capacity", "purchase", "reason"),
    [
        (("spot",), "on_demand", "contradicts capacity spot"),
        (("on-demand",), "spot", "contradicts capacity on-demand"),
        (("reserved", "spot"), "spot", "has no rule"),
        (("on-demand",), "", "does not say how its machines are bought"),
    ],
)
def test_a_purchase_that_is_not_what_karpenter_buys_is_unpriced(
    capacity: tuple[str, ...], purchase: str, reason: str
) -> None:
    found = counted(node_pool(*capacity), owner(purchase=purchase))
    assert found.state is State.UNPRICED
    assert reason in notes(found)


@pytest.mark.parametrize("cores", [None, UnknownValue(), "12000m"])
def test_without_a_known_limit_nothing_bounds_the_spend(cores: object) -> None:
    found = counted(node_pool(cores=cores))
    assert found.state is State.UNPRICED
    assert "limits.cpu" in notes(found)


@pytest.mark.parametrize("cores", [None, 0])
def test_a_pool_whose_nodes_have_unknown_cores_is_bounded_by_nothing(cores: int | None) -> None:
    assert "vcpus" in notes(counted(node_pool(), owner(vcpus=cores)))


def test_a_pool_that_no_component_foresees_is_unpriced() -> None:
    found = taken(node_pool(), node_class())
    assert found.state is State.UNPRICED
    assert "no component above says" in notes(found)


def test_a_pool_that_may_be_any_machine_is_unpriced() -> None:
    free_choice = node_pool()
    node = free_choice.inputs["spec"]["template"]["spec"]
    node["requirements"] = [each for each in node["requirements"] if "capacity" in each["key"]]
    assert "no requirement names" in notes(counted(free_choice))


def test_one_of_several_machines_costs_between_the_cheapest_and_the_dearest() -> None:
    machine, _ = counted(node_pool(machines=("g6.xlarge", "g6e.xlarge"))).lines
    assert machine.usd_per_month == usd("0", "800.00", "5431.20")


def test_an_unknown_disk_does_not_hide_the_machine() -> None:
    above = owner()
    of_disk = inside(node_class(volumeSize=UnknownValue()), above)
    found = taken(inside(node_pool(), above), above, of_disk)
    assert [line.state for line in found.lines] == [State.PRICED, State.UNPRICED]


def test_a_class_that_is_not_there_leaves_the_disk_open() -> None:
    above = owner()
    found = taken(inside(node_pool(), above), above)
    assert "nodeClassRef is not among" in notes(found)


def test_a_node_class_alone_starts_nothing() -> None:
    assert taken(node_class()).state is State.FREE


@pytest.mark.parametrize(
    "token", ["aws:sqs/queue:Queue", "aws:cloudtrail/trail:Trail", "aws:budgets/budgetAction:BudgetAction"]
)
def test_small_services_are_free_as_ours_and_unknown_as_anybody_elses(token: str) -> None:
    above = resource("atoll:cluster:Autoscaler", "autoscaler", provider="aws", region="us-east-1")
    assert taken(inside(resource(token), above), above).state is State.FREE
    assert taken(resource(token)).state is State.UNPRICED


def test_a_trail_of_data_events_is_paid_by_use() -> None:
    above = resource("atoll:cluster:Logs", "logs", provider="aws", region="us-east-1")
    found = taken(inside(resource("aws:cloudtrail/trail:Trail", eventSelectors=[{}]), above), above)
    assert "eventSelectors" in notes(found)


def test_certificates_are_free_unless_a_private_authority_issues_them() -> None:
    token = "aws:acm/certificate:Certificate"
    assert taken(resource(token, domainName="a.example")).state is State.FREE
    assert taken(resource(token, certificateAuthorityArn="arn:aws:acm-pca:x")).state is State.UNPRICED
