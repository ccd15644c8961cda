"""Every counted type: its price when all is said, and unpriced when one priced property is unknown or secret."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from takeoff_fakes import injected, resource, take, taken, usd

from planning.costs.resources.counters import COUNTERS
from planning.costs.resources.resource import Secret, UnknownValue
from planning.spec.lock_content import State
from planning.values.money import Range

Path = tuple[str | int, ...]
ELSEWHERE = (
    "aws:acm/",
    "aws:autoscaling/",
    "aws:budgets/",
    "aws:cloudtrail/",
    "aws:cloudwatch/",
    "aws:ec2/flowLog",
    "aws:efs/",
    "aws:s3/",
    "aws:sqs/",
    "aws:ssm/",
    "azure:",
    "coreweave:",
    "gcp:",
    "kubernetes:",
)


class Example(NamedTuple):
    token: str
    inputs: dict[str, Any]
    usd: Range
    priced: tuple[Path, ...] = ()


NODES = {
    "instanceTypes": ["g6.xlarge"],
    "scalingConfig": {"minSize": 1, "desiredSize": 2, "maxSize": 4},
    "capacityType": "ON_DEMAND",
    "diskSize": 100,
}
EXAMPLES = (
    Example(
        "aws:eks/cluster:Cluster",
        {"upgradePolicy": {"supportType": "STANDARD"}, "computeConfig": {"enabled": False}},
        usd("73.00"),
        (("upgradePolicy",), ("upgradePolicy", "supportType"), ("computeConfig", "enabled")),
    ),
    Example(
        "aws:eks/nodeGroup:NodeGroup",
        NODES,  # 730 h x 0.80 and 100 GB x 0.08 for each node
        usd("592.00", "1184.00", "2368.00"),
        (
            ("instanceTypes",),
            ("instanceTypes", 0),
            ("scalingConfig",),
            ("scalingConfig", "minSize"),
            ("scalingConfig", "desiredSize"),
            ("scalingConfig", "maxSize"),
            ("capacityType",),
            ("diskSize",),
        ),
    ),
    Example(
        "aws:ec2/instance:Instance",
        {
            "instanceType": "g6.xlarge",
            "tenancy": "default",
            "instanceMarketOptions": {"marketType": "spot"},
            "rootBlockDevice": {"volumeSize": 50, "volumeType": "gp3", "iops": 4000},
            "ebsBlockDevices": [{"volumeSize": 100, "volumeType": "gp3", "throughput": 225}],
        },
        usd("313.00"),  # 730 x 0.40, 150 GB x 0.08, 1000 IOPS x 0.005, 100 MBps x 0.04
        (
            ("instanceType",),
            ("tenancy",),
            ("instanceMarketOptions",),
            ("instanceMarketOptions", "marketType"),
            ("rootBlockDevice",),
            ("rootBlockDevice", "volumeSize"),
            ("rootBlockDevice", "volumeType"),
            ("rootBlockDevice", "iops"),
            ("ebsBlockDevices",),
            ("ebsBlockDevices", 0),
            ("ebsBlockDevices", 0, "throughput"),
        ),
    ),
    Example(
        "aws:ec2/natGateway:NatGateway",
        {"availabilityMode": "zonal", "subnetId": UnknownValue()},
        usd("32.850"),
        (("availabilityMode",),),
    ),
    Example("aws:ec2/eip:Eip", {"publicIpv4Pool": "amazon"}, usd("3.650"), (("publicIpv4Pool",),)),
    Example(
        "aws:lb/loadBalancer:LoadBalancer",
        {"loadBalancerType": "network"},
        usd("16.4250"),
        (("loadBalancerType",),),
    ),
    Example("aws:alb/loadBalancer:LoadBalancer", {}, usd("16.4250")),
    Example(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        {"vpcEndpointType": "Interface", "subnetIds": [UnknownValue(), UnknownValue()]},
        usd("14.60"),
        (("vpcEndpointType",), ("subnetIds",)),
    ),
    Example("aws:ec2/vpnConnection:VpnConnection", {}, usd("36.50")),
    Example("aws:ec2transitgateway/vpcAttachment:VpcAttachment", {}, usd("36.50")),
    Example("aws:ec2transitgateway/peeringAttachment:PeeringAttachment", {}, usd("36.50")),
    Example(
        "aws:ebs/volume:Volume",
        {"type": "gp3", "size": 500, "iops": 3000, "throughput": 250},
        usd("45.00"),
        (("type",), ("size",), ("iops",), ("throughput",)),
    ),
    Example(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {
            "deploymentType": "PERSISTENT_2",
            "perUnitStorageThroughput": 125,
            "storageCapacity": 1200,
            "storageType": "SSD",
            "metadataConfiguration": {"mode": "AUTOMATIC"},
        },
        usd("174.000"),
        (
            ("deploymentType",),
            ("perUnitStorageThroughput",),
            ("storageCapacity",),
            ("storageType",),
            ("metadataConfiguration",),
        ),
    ),
    Example("aws:route53/zone:Zone", {"name": "ml.acme.example"}, usd("0.50")),
    Example("aws:kms/key:Key", {"enableKeyRotation": True}, usd("1")),
    Example("aws:kms/replicaKey:ReplicaKey", {}, usd("1")),
    Example("aws:kms/externalKey:ExternalKey", {}, usd("1")),
)
INJECTED = [(example, path) for example in EXAMPLES for path in example.priced]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.token)
def test_price_when_all_is_said(example: Example) -> None:
    found = taken(resource(example.token, **example.inputs))
    assert found.state is State.PRICED
    assert found.usd_per_month == example.usd


def test_every_counted_type_has_an_example() -> None:
    shown = {example.token for example in EXAMPLES}
    assert {token for token in COUNTERS if not token.startswith(ELSEWHERE)} == shown


@pytest.mark.parametrize(("example", "path"), INJECTED, ids=[f"{each.token} {path}" for each, path in INJECTED])
@pytest.mark.parametrize("value", [UnknownValue(), Secret()], ids=["unknown", "secret"])
def test_one_unknown_priced_property_makes_it_unpriced_and_is_named(
    example: Example, path: Path, value: UnknownValue | Secret
) -> None:
    off = take(resource(example.token, **injected(example.inputs, path, value)))
    (found,) = off.resources
    assert found.state is State.UNPRICED
    assert off.bill.unpriced
    reason = "is known only after creation" if isinstance(value, UnknownValue) else "is secret"
    named = [line.note for line in off.bill.unpriced if reason in line.note]
    assert named
    assert str(path[0]) in named[0]
    floor = found.usd_per_month
    assert floor is None or floor.max <= example.usd.max


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.token)
def test_without_a_region_nothing_has_a_price(example: Example) -> None:
    found = taken(resource(example.token, **example.inputs), region=None)
    assert (found.state, found.usd_per_month) == (State.UNPRICED, None)
    assert "region unknown" in found.lines[0].note


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.token)
def test_elsewhere_the_price_of_here_does_not_hold(example: Example) -> None:
    found = taken(resource(example.token, **{**example.inputs, "region": "eu-north-1"}))
    assert (found.state, found.usd_per_month) == (State.UNPRICED, None)
