"""Gateways, storage, components, objects in a cluster, and types without a rule."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from takeoff_fakes import declared, notes, resource, take, taken, usd

from planning.costs.bill import BillGroup, Charge, to_inputs
from planning.costs.resources.counters import COUNTERS, free_by_rule
from planning.costs.resources.resource import Resource, Secret, UnknownValue
from planning.spec.lock_content import State
from planning.values.money import Range

BUCKET = "aws:s3/bucket:Bucket"
SERVICE = "kubernetes:core/v1:Service"
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
HERE = {"provider": "aws", "region": "us-east-1"}


def inside(member: Resource, owner: Resource) -> Resource:
    return replace(member, parent=owner.urn)


@pytest.mark.parametrize(
    ("token", "inputs", "reason"),
    [
        ("aws:ec2/vpcEndpoint:VpcEndpoint", {}, "gateway endpoints are not charged"),
        ("aws:ec2/vpcEndpoint:VpcEndpoint", {"vpcEndpointType": "Gateway"}, "gateway endpoints are not charged"),
        ("aws:ec2/eip:Eip", {"publicIpv4Pool": "ipv4pool-ec2-1"}, "addresses of your own pool"),
        ("aws:ec2/vpc:Vpc", {}, "parts of a VPC"),
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", {}, "identities and policies"),
        ("aws:ec2/vpcPeeringConnection:VpcPeeringConnection", {}, "no hourly fee"),
        ("aws:ec2/launchTemplate:LaunchTemplate", {}, "counted with the nodes"),
        ("pulumi:pulumi:Stack", {}, "exists in the state only"),
        ("pulumi:providers:aws", {}, "exists in the state only"),
        ("kubernetes:apps/v1:Deployment", {}, "runs on nodes that are counted"),
        ("kubernetes:rbac.authorization.k8s.io/v1:Role", {}, "runs on nodes that are counted"),
        (SERVICE, {"spec": {"type": "ClusterIP"}}, "runs on nodes that are counted"),
        ("kubernetes:apps/v1:StatefulSet", {"spec": {"replicas": 3}}, "runs on nodes that are counted"),
        ("kubernetes:networking.k8s.io/v1:Ingress", {"spec": {}}, "runs on nodes that are counted"),
        ("atoll:cluster:Cluster", HERE, "a component costs nothing itself"),
    ],
)
def test_free_by_a_rule_that_is_named(token: str, inputs: dict[str, Any], reason: str) -> None:
    found = taken(resource(token, **inputs))
    assert (found.state, found.lines) == (State.FREE, ())
    assert reason in found.reason
    assert found.usd_per_month == usd("0")


def test_components_of_others_cost_nothing_themselves() -> None:
    found = taken(replace(resource("eks:index:Cluster"), custom=False))
    assert found.state is State.FREE


@pytest.mark.parametrize(
    "token",
    [
        "aws:rds/instance:Instance",
        "aws:ec2/capacityReservation:CapacityReservation",
        "aws:ec2/newThing:NewThing",
        "gcp:sql/databaseInstance:DatabaseInstance",
        "azure-native:compute:VirtualMachine",
        "nonsense",
        "",
    ],
)
def test_types_without_a_rule_are_unpriced_never_free(token: str) -> None:
    off = take(resource(token))
    assert off.resources[0].state is State.UNPRICED
    assert off.resources[0].usd_per_month is None
    assert off.bill.unpriced[0].note == f"no rule for {token}"


def test_no_type_is_both_free_and_counted() -> None:
    assert not [token for token in COUNTERS if free_by_rule(token)]


@pytest.mark.parametrize(
    ("token", "inputs", "reason"),
    [
        ("aws:ec2/natGateway:NatGateway", {"availabilityMode": "regional"}, "regional"),
        ("aws:lb/loadBalancer:LoadBalancer", {"loadBalancerType": "gateway"}, "'gateway' has no price here"),
        ("aws:lb/loadBalancer:LoadBalancer", {"minimumLoadBalancerCapacity": {"capacityUnits": 9}}, "reserved"),
        ("aws:ec2/vpcEndpoint:VpcEndpoint", {"vpcEndpointType": "GatewayLoadBalancer"}, "has no price here"),
        ("aws:ec2/vpcEndpoint:VpcEndpoint", {"vpcEndpointType": "Interface"}, "subnetIds is not said"),
        ("aws:eks/cluster:Cluster", {"upgradePolicy": {"supportType": "EXTENDED"}}, "control_plane_extended"),
        ("aws:eks/cluster:Cluster", {"computeConfig": {"enabled": True}}, "Auto Mode"),
        ("aws:eks/cluster:Cluster", {"controlPlaneScalingConfig": {"tier": "tier-xl"}}, "tier-xl"),
        ("aws:ebs/volume:Volume", {"size": 10}, "type is not said"),
        ("aws:ebs/volume:Volume", {"size": 10, "type": "st1"}, "'st1' has no price here"),
        ("aws:ebs/volume:Volume", {"size": -1, "type": "gp3"}, "size is not a quantity"),
        ("aws:ebs/volume:Volume", {"size": "much", "type": "gp3"}, "size is not a number"),
        ("aws:ebs/volume:Volume", {"size": float("nan"), "type": "gp3"}, "size is not a quantity"),
        ("aws:ebs/volume:Volume", {"size": True, "type": "gp3"}, "size is not a number"),
        ("aws:ebs/volume:Volume", {"type": "gp3", "snapshotId": "snap-1"}, "size is not said"),
        ("aws:efs/fileSystem:FileSystem", {"throughputMode": "provisioned"}, "provisionedThroughputInMibps"),
        ("aws:fsx/lustreFileSystem:LustreFileSystem", {"deploymentType": "PERSISTENT_1"}, "PERSISTENT_1 SSD"),
        (
            "aws:fsx/lustreFileSystem:LustreFileSystem",
            {"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 500, "storageCapacity": 1200},
            "500 MB/s per TiB has no price here",
        ),
        (
            "aws:fsx/lustreFileSystem:LustreFileSystem",
            {
                "deploymentType": "PERSISTENT_2",
                "perUnitStorageThroughput": 125,
                "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": 12000},
            },
            "metadataConfiguration is paid for",
        ),
    ],
)
def test_what_costs_more_than_is_known_is_unpriced(token: str, inputs: dict[str, Any], reason: str) -> None:
    found = taken(resource(token, **inputs))
    assert found.state is State.UNPRICED
    assert reason in notes(found)


def test_scratch_lustre_has_its_own_price() -> None:
    found = taken(
        resource("aws:fsx/lustreFileSystem:LustreFileSystem", deploymentType="SCRATCH_2", storageCapacity=1200)
    )
    assert found.usd_per_month == usd("168.00")


def test_a_vpn_at_a_transit_gateway_pays_for_its_attachment() -> None:
    found = taken(resource("aws:ec2/vpnConnection:VpnConnection", transitGatewayId=UnknownValue()))
    assert found.usd_per_month == usd("73.00")


def test_what_is_not_counted_is_said() -> None:
    assert notes(taken(resource("aws:ec2/natGateway:NatGateway"))) == "the data through it is extra"
    assert "leaves standard support" in notes(taken(resource("aws:eks/cluster:Cluster")))
    assert notes(taken(resource("aws:eks/cluster:Cluster", upgradePolicy={"supportType": "STANDARD"}))) == ""


@pytest.mark.parametrize(
    ("token", "item", "group"),
    [
        (BUCKET, "object", BillGroup.STORAGE),
        ("aws:s3/bucketV2:BucketV2", "object_archive", BillGroup.STORAGE),
        ("aws:efs/fileSystem:FileSystem", "shared_disk", BillGroup.STORAGE),
        ("aws:cloudwatch/logGroup:LogGroup", "log_ingest", BillGroup.OBSERVABILITY),
    ],
)
def test_what_is_paid_by_use_is_free_where_its_component_declares_it(token: str, item: str, group: BillGroup) -> None:
    owner = resource("atoll:storage:Bucket", "cold", **HERE, charges=[declared("storage/cold", item, 5, group=group)])
    assert taken(inside(resource(token), owner), owner).state is State.FREE
    alone = taken(resource(token))
    assert (alone.state, alone.lines[0].note) == (State.UNPRICED, "volume unknown: no component above declares it")


@pytest.mark.parametrize("charges", [[], [declared("network/egress", "internet_egress", 5)], UnknownValue(), "junk"])
def test_a_component_that_declares_something_else_does_not_make_a_bucket_free(charges: object) -> None:
    owner = resource("atoll:network:Network", "network", **HERE, charges=charges)
    assert taken(inside(resource(BUCKET), owner), owner).state is State.UNPRICED


def test_declared_charges_are_priced_at_the_component_s_own_place() -> None:
    owner = resource("atoll:storage:Bucket", "cold", **HERE, charges=[declared("storage/cold", "object", 1000)])
    (line,) = taken(owner, region=None).lines
    assert (line.key, line.usd_per_month) == ("storage/cold", usd("23.000"))


def test_a_declared_charge_with_a_price_of_its_own_needs_no_place() -> None:
    charge = Charge(
        key="services/onboarding",
        label="onboarding",
        group=BillGroup.SERVICES,
        item="onboarding",
        quantity=Range.exactly(1),
        stated_usd=Decimal(200),
    )
    owner = resource("atoll:contract:Services", "services", charges=[to_inputs(charge)])
    assert taken(owner, region=None).usd_per_month == usd("200")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"quantity": {"min": "0", "expected": "1", "max": UnknownValue()}},
            "charges[0].quantity.max is known only after",
        ),
        ({"quantity": {"min": "2", "expected": "1", "max": "1"}}, "a range must rise"),
        ({"quantity": {"min": "0", "expected": "0", "max": "Infinity"}}, "charges[0].quantity.max is not a quantity"),
        ({"quantity": "12"}, "charges[0].quantity is not an object"),
        ({"item": Secret()}, "charges[0].item is secret"),
        ({"group": "fun"}, "charges[0]: 'fun' is not a valid BillGroup"),
        ({"key": None}, "charges[0].key is not said"),
    ],
)
def test_a_declared_charge_that_cannot_be_read_hides_no_other(changes: dict[str, object], reason: str) -> None:
    broken = {**declared("a", "object", 1000), **changes}
    owner = resource("atoll:storage:Bucket", "cold", **HERE, charges=[broken, declared("b", "object", 1000)])
    found = taken(owner)
    assert found.state is State.UNPRICED
    assert found.usd_per_month == usd("23.000")
    assert reason in notes(found)


@pytest.mark.parametrize("place", [{}, {"provider": UnknownValue(), "region": "x"}, {"provider": "aws"}])
def test_declared_charges_without_a_place_are_unpriced(place: dict[str, Any]) -> None:
    owner = resource("atoll:storage:Bucket", "cold", **place, charges=[declared("storage/cold", "object", 1)])
    found = taken(owner)
    assert (found.state, found.usd_per_month) == (State.UNPRICED, None)


def share(**changes: Any) -> dict[str, object]:
    charge = Charge(
        key="services/support",
        label="support",
        group=BillGroup.SERVICES,
        item="support_share",
        quantity=Range.exactly(0),
        of_bill=True,
    )
    return {**to_inputs(charge), **changes}


def test_a_share_of_the_bill_is_counted_when_all_else_is() -> None:
    people = resource(
        "atoll:contract:Services", "services", **HERE, charges=[share(), share(statedUsd="9", ofBill=None)]
    )
    off = take(people, resource("aws:eks/cluster:Cluster"), resource("aws:kms/key:Key"))
    assert [line.key for line in off.resources[0].lines] == ["services/support"]
    assert off.resources[0].usd_per_month == usd("7.4000")
    assert off.bill.usd_per_month == usd("81.4000")


def test_whether_a_charge_is_a_share_must_be_known() -> None:
    people = resource("atoll:contract:Services", "services", **HERE, charges=[share(ofBill=UnknownValue())])
    found = taken(people)
    assert (found.state, notes(found)) == (State.UNPRICED, "charges[0].ofBill is known only after creation")


def test_keys_below_our_components_meet_the_bill_s() -> None:
    owner = resource("atoll:network:Network", "network", **HERE)
    tier = resource("atoll:storage:FileSystem", "files", **HERE, tier="warm")
    lustre = {"deploymentType": "SCRATCH_2", "storageCapacity": 1200}
    off = take(
        owner,
        tier,
        inside(resource("aws:ec2/natGateway:NatGateway", "nat-0"), owner),
        inside(resource("aws:ec2/natGateway:NatGateway", "nat-1"), owner),
        inside(resource("aws:ec2/eip:Eip", "nat-0"), owner),
        inside(resource("aws:eks/cluster:Cluster", "cluster"), owner),
        inside(resource("aws:kms/key:Key", "key"), owner),
        inside(resource("aws:fsx/lustreFileSystem:LustreFileSystem", "files", **lustre), tier),
        resource("aws:ec2/natGateway:NatGateway", "theirs"),
    )
    amounts = {line.key: line.quantity.max for line in off.bill.lines}
    assert amounts == {
        "network/nat_gateway": 1460,
        "network/public_ipv4": 730,
        "control_plane": 730,
        "security/keys": 1,
        "storage/warm": 1200,
        "theirs/nat_gateway": 730,
    }
    assert off.bill.usd_per_month == usd("344.20")


def test_lines_that_share_a_key_by_chance_stay_apart() -> None:
    east = resource("aws:ebs/volume:Volume", "scratch", size=10, type="gp3")
    west = resource("aws:ebs/volume:Volume", "scratch", size=10, type="gp3", region="us-west-9")
    assert [line.key for line in take(east, west).bill.lines] == ["scratch/disk", "scratch/disk~2"]


def test_the_region_is_the_resource_s_own_then_its_provider_s_then_the_default() -> None:
    there = resource("pulumi:providers:aws", "there", region="eu-north-1")
    key = resource("aws:kms/key:Key")
    asked = [
        taken(key, region="us-east-1"),
        taken(replace(key, provider=there.urn), there, region="us-east-1"),
        taken(replace(resource("aws:kms/key:Key", region="us-east-1"), provider=there.urn), there, region=None),
        taken(replace(key, provider="urn:pulumi:x::y::pulumi:providers:aws::gone"), region="us-east-1"),
    ]
    assert [found.state for found in asked] == [State.PRICED, State.UNPRICED, State.PRICED, State.PRICED]
    unknown = resource("pulumi:providers:aws", "there", region=UnknownValue())
    found = taken(replace(key, provider=unknown.urn), unknown, region="us-east-1")
    assert "region is known only after creation" in notes(found)


def balancer(**metadata: Any) -> Resource:
    return resource(SERVICE, "door", spec={"type": "LoadBalancer"}, metadata=metadata)


NETWORK_BALANCER = {"annotations": {"service.beta.kubernetes.io/aws-load-balancer-type": "nlb"}}
CLUSTER = resource("aws:eks/cluster:Cluster", "cluster")
CLASS = resource(
    "kubernetes:storage.k8s.io/v1:StorageClass",
    "fast",
    metadata={"name": "fast"},
    provisioner="ebs.csi.aws.com",
    parameters={"type": "gp3"},
)


def claim(storage: object = "10Gi", name: object = "fast") -> Resource:
    spec = {"storageClassName": name, "resources": {"requests": {"storage": storage}}}
    return resource(CLAIM, "claim", spec=spec)


def test_a_load_balancer_is_priced_where_the_one_cluster_is() -> None:
    found = taken(balancer(**NETWORK_BALANCER), CLUSTER)
    assert found.usd_per_month == usd("16.4250")


@pytest.mark.parametrize(
    ("subject", "around", "reason"),
    [
        (balancer(**NETWORK_BALANCER), (), "which provider hosts the cluster is not known"),
        (balancer(**NETWORK_BALANCER), (CLUSTER, replace(CLUSTER, urn="other")), "which provider hosts"),
        (balancer(), (CLUSTER,), "does not say a network load balancer"),
        (resource(SERVICE, spec=UnknownValue()), (CLUSTER,), "spec.type is known only after creation"),
        (claim(), (CLUSTER,), "names no storage class"),
        (claim(name=None), (CLUSTER, CLASS), "names no storage class"),
        (claim(storage=UnknownValue()), (CLUSTER, CLASS), "spec.resources.requests.storage is known only after"),
        (claim(storage="ten"), (CLUSTER, CLASS), "is not a quantity"),
        (claim(), (CLUSTER, resource(CLASS.type, metadata={"name": "fast"}, provisioner="x")), "provisioner 'x'"),
        (resource("kubernetes:helm.sh/v3:Release"), (CLUSTER,), "may ask the cloud"),
        (resource("kubernetes:karpenter.sh/v1:NodePool"), (CLUSTER,), "no component above says"),
        (resource("kubernetes:karpenter.sh/v1:NodeClaim"), (CLUSTER,), "may ask the cloud"),
        (resource("kubernetes:gateway.networking.k8s.io/v1:Gateway"), (CLUSTER,), "may ask the cloud"),
        (
            resource("kubernetes:networking.k8s.io/v1:Ingress", spec={"ingressClassName": "alb"}),
            (CLUSTER,),
            "of class alb",
        ),
    ],
)
def test_objects_that_ask_a_cloud_for_what_is_not_known(
    subject: Resource, around: tuple[Resource, ...], reason: str
) -> None:
    found = taken(subject, *around)
    assert (found.state, found.usd_per_month) == (State.UNPRICED, None)
    assert reason in notes(found)


@pytest.mark.parametrize(
    ("storage", "gib"), [("10Gi", 10), ("1Ti", 1024), ("500M", 1), ("100G", 94), (2**31, 2), ("512Mi", 1)]
)
def test_a_claim_is_a_disk_rounded_up_to_gib(storage: object, gib: int) -> None:
    (line,) = taken(claim(storage=storage), CLUSTER, CLASS).lines
    assert (line.item, line.quantity) == ("disk", Range.exactly(gib))


def test_a_stateful_set_claims_for_each_replica() -> None:
    template = {"metadata": {"name": "state"}, "spec": claim().inputs["spec"]}
    owner = resource("kubernetes:apps/v1:StatefulSet", "db", spec={"replicas": 3, "volumeClaimTemplates": [template]})
    (line,) = taken(owner, CLUSTER, CLASS).lines
    assert line.quantity == Range.exactly(30)


def test_a_claim_on_the_node_s_own_disk_is_free() -> None:
    own = resource(CLASS.type, metadata={"name": "fast"}, provisioner="kubernetes.io/no-provisioner")
    assert taken(claim(), CLUSTER, own).state is State.FREE


def test_our_own_software_is_free_below_our_component() -> None:
    owner = resource("atoll:platform:Istio", "istio", **HERE)
    found = taken(inside(resource("kubernetes:helm.sh/v3:Release", "istiod"), owner), owner)
    assert (found.state, "its component declares" in found.reason) == (State.FREE, True)


def test_an_object_below_our_component_is_priced_where_the_component_is() -> None:
    owner = resource("atoll:platform:Istio", "istio", **HERE)
    found = taken(inside(balancer(**NETWORK_BALANCER), owner), owner)
    assert (found.lines[0].key, found.usd_per_month) == ("network/load_balancer", usd("16.4250"))
