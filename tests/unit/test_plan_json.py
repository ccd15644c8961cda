from __future__ import annotations

import json

import pytest

from driver.offline.plan_json import from_json, to_json
from planning.errors import InputError
from planning.takeoff.resource import Resource, Secret, Unknown

VPC = "urn:pulumi:sample::atoll::aws:ec2/vpc:Vpc::vpc"
SUBNET = Resource(
    urn="urn:pulumi:sample::atoll::aws:ec2/subnet:Subnet::subnet",
    type="aws:ec2/subnet:Subnet",
    name="subnet",
    parent=None,
    custom=True,
    inputs={
        "availabilityZone": Unknown(),
        "cidrBlock": "10.0.0.0/24",
        "counts": [1, 0.5, True, None, {"a": Unknown(urn=VPC)}],
        "token": Secret(),
        "vpcId": Unknown(urn=VPC, output="id"),
    },
    dependencies=(VPC,),
    property_dependencies={"vpcId": (VPC,)},
    provider="urn:pulumi:sample::atoll::pulumi:providers:aws::aws",
    protect=True,
)


def test_a_plan_can_be_written_and_read_again() -> None:
    assert from_json(json.loads(json.dumps(to_json([SUBNET])))) == (SUBNET,)


def test_marks_in_a_plan() -> None:
    (entry,) = to_json([SUBNET])
    assert entry["inputs"]["vpcId"] == {"$ref": VPC, "property": "id"}
    assert entry["inputs"]["availabilityZone"] == {"$unknown": True}
    assert entry["inputs"]["counts"][4] == {"a": {"$ref": VPC, "property": ""}}
    assert entry["inputs"]["token"] == {"$secret": True}


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({}, "a list of resources"),
        (["x"], r"resources\[0\] is not an object"),
        ([{"urn": "u"}], r"resources\[0\] has no type"),
        (
            [{"urn": "u", "type": "t", "name": "n", "parent": None, "custom": True, "inputs": 3}],
            r"resources\[0\]: not an object",
        ),
    ],
)
def test_a_plan_that_is_none_is_refused_in_words(plan: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_json(plan)
