from __future__ import annotations

import json

from operations.offline.plan_json import to_json
from planning.costs.resources.formats.file import read
from planning.costs.resources.resource import Resource, Secret, UnknownValue

VPC = "urn:pulumi:sample::atoll::aws:ec2/vpc:Vpc::vpc"
PROVIDER = Resource(
    urn="urn:pulumi:sample::atoll::pulumi:providers:aws::aws",
    type="pulumi:providers:aws",
    name="aws",
    parent=None,
    custom=True,
    inputs={"region": "us-east-1"},
    property_dependencies={},
)
SUBNET = Resource(
    urn="urn:pulumi:sample::atoll::aws:ec2/subnet:Subnet::subnet",
    type="aws:ec2/subnet:Subnet",
    name="subnet",
    parent=None,
    custom=True,
    inputs={
        "availabilityZone": UnknownValue(),
        "cidrBlock": "10.0.0.0/24",
        "counts": [1, 0.5, True, None, {"a": UnknownValue(urn=VPC)}],
        "token": Secret(),
        "vpcId": UnknownValue(urn=VPC, output="id"),
    },
    dependencies=(VPC,),
    property_dependencies={"counts": (VPC,), "vpcId": (VPC,)},
    provider=PROVIDER.urn,
    protect=True,
)


def test_a_plan_can_be_written_and_read_again() -> None:
    plan = {"stack": "sample", "resources": to_json([PROVIDER, SUBNET])}
    assert read(json.dumps(plan).encode(), file="plan.json").new == (PROVIDER, SUBNET)


def test_marks_in_a_plan() -> None:
    (entry,) = to_json([SUBNET])
    assert entry["inputs"]["vpcId"] == {"$ref": VPC, "property": "id"}
    assert entry["inputs"]["availabilityZone"] == {"$unknown": True}
    assert entry["inputs"]["counts"][4] == {"a": {"$ref": VPC, "property": ""}}
    assert entry["inputs"]["token"] == {"$secret": True}
