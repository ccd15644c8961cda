from __future__ import annotations

import base64
import json
from decimal import Decimal
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, TypeAlias

import pytest
import specs
from look import at, of_type, one, unknowns

from planning.charge import from_inputs, range_from_inputs
from planning.errors import AtollError, InputError
from planning.quantities import declared
from planning.takeoff.resource import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver.offline.program import Run
    from planning.spec import ClusterSpec, Peering

    RunSpec: TypeAlias = Callable[[ClusterSpec], Run]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:eks/nodeGroup:NodeGroup"
CLUSTER = "aws:eks/cluster:Cluster"
POOL = "atoll:nodepool:NodePool"
BUCKET = "aws:s3/bucket:Bucket"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
PRICED = (
    (GROUP, "instanceTypes"),
    (GROUP, "scalingConfig"),
    (GROUP, "capacityType"),
    (TEMPLATE, "blockDeviceMappings"),
    (TEMPLATE, "instanceType"),
    (TEMPLATE, "instanceMarketOptions"),
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "storageCapacity"),
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "perUnitStorageThroughput"),
    (CLUSTER, "upgradePolicy"),
    ("pulumi:providers:aws", "region"),
)


@pytest.mark.parametrize(("token", "name"), PRICED)
def test_what_is_priced_is_plain(aws_run: Run, token: str, name: str) -> None:
    for resource in of_type(aws_run, token):
        assert not list(unknowns(resource.inputs.get(name))), f"{resource.name}.{name}"


def test_component_inputs_are_plain(aws_run: Run) -> None:
    for resource in aws_run.resources:
        if resource.type.startswith("atoll:"):
            assert not list(unknowns(dict(resource.inputs))), resource.urn


def test_every_declared_charge_is_carried_once_and_unchanged(aws_run: Run) -> None:
    carried = [
        from_inputs(charge)
        for resource in aws_run.resources
        if resource.type.startswith("atoll:")
        for charge in resource.inputs.get("charges", [])
    ]
    wanted = [charge for charges in declared(specs.aws_cluster()).values() for charge in charges]
    assert sorted(carried, key=lambda charge: charge.key) == sorted(wanted, key=lambda charge: charge.key)


def test_a_charge_that_nobody_carries_is_refused() -> None:
    from components.charges import Ledger

    ledger = Ledger({"bucket/lost": declared(specs.aws_cluster())["network"]})
    with pytest.raises(AtollError, match="bucket/lost"):
        ledger.close()


@pytest.mark.parametrize("which", ["aws", "existing"])
def test_both_sides_of_the_money_agree_line_by_line(request: pytest.FixtureRequest, which: str) -> None:
    from catalogs.reader import load
    from driver.agreement import differences
    from driver.prices import as_book
    from planning.options.market import Market
    from planning.options.option import bill
    from planning.takeoff.takeoff import take_off

    catalog = load()
    spec = {"aws": specs.aws_cluster, "existing": specs.existing_cluster}[which]()
    counted = take_off(request.getfixturevalue(f"{which}_run").resources, catalog=as_book(catalog)).bill
    accepted = bill(spec, Market(catalog))
    assert differences(accepted, counted) == ()
    assert counted.usd_per_month == accepted.usd_per_month


def test_pools_say_what_they_are_and_how_long_they_run(aws_run: Run) -> None:
    train = one(aws_run, POOL, "pool-train")
    assert train.inputs["machine"] == "p5.48xlarge"
    assert train.inputs["purchase"] == "savings_plan_12m_no_upfront"
    assert train.inputs["pool"] == "train"
    assert range_from_inputs(train.inputs["nodeHours"]).max == Decimal(2190)


def test_a_pool_has_the_bounds_of_the_lock(aws_run: Run) -> None:
    assert at(one(aws_run, GROUP, "nodes-train"), "scalingConfig") == {"minSize": 3, "desiredSize": 3, "maxSize": 3}
    assert at(one(aws_run, GROUP, "nodes-burst"), "scalingConfig") == {"minSize": 0, "desiredSize": 0, "maxSize": 2}


def test_every_aws_resource_uses_the_tagged_provider_of_the_region(aws_run: Run) -> None:
    provider = one(aws_run, "pulumi:providers:aws", "aws")
    tags = json.loads(at(provider, "defaultTags"))["tags"]
    assert tags == {"atoll:customer": "acme", "atoll:stack": "sample", "atoll:owner": "ml@acme.example"}
    assert at(provider, "region") == "us-east-1"
    strays = [each.urn for each in aws_run.resources if each.type.startswith("aws:") and each.provider != provider.urn]
    assert not strays


def test_machines_and_disks_carry_the_tags_of_stack_and_pool(aws_run: Run) -> None:
    for specification in at(one(aws_run, TEMPLATE, "nodes-serve"), "tagSpecifications"):
        assert specification["tags"]["atoll:customer"] == "acme"
        assert specification["tags"]["atoll:pool"] == "serve"
        assert specification["tags"]["atoll:workload"] == "serve"


def test_stateful_leaves_are_protected_and_kept(aws_run: Run) -> None:
    stateful = ("aws:s3/bucket:Bucket", "aws:kms/key:Key", "aws:fsx/lustreFileSystem:LustreFileSystem")
    for token in stateful:
        for resource in of_type(aws_run, token):
            assert resource.protect, resource.urn
            assert resource.retain_on_delete, resource.urn


def test_no_rule_lets_the_internet_in(aws_run: Run) -> None:
    for rule in of_type(aws_run, INGRESS):
        assert rule.inputs.get("cidrIpv4") != "0.0.0.0/0"
        assert "cidrIpv6" not in rule.inputs
    for group in of_type(aws_run, "aws:ec2/securityGroup:SecurityGroup"):
        assert "ingress" not in group.inputs
    default = one(aws_run, "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "default")
    assert set(default.inputs) == {"vpcId"}


def test_everything_that_rests_is_encrypted_with_the_one_key(aws_run: Run) -> None:
    key = one(aws_run, "aws:kms/key:Key", "key")
    arn = Unknown(urn=key.urn, output="arn")
    assert key.inputs["enableKeyRotation"] is True
    assert at(one(aws_run, CLUSTER, "cluster"), "encryptionConfig", "provider", "keyArn") == arn
    for group in of_type(aws_run, "aws:cloudwatch/logGroup:LogGroup"):
        assert group.inputs["kmsKeyId"] == arn
        assert group.inputs["retentionInDays"] == 90
    rules = "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
    assert len(of_type(aws_run, rules)) == len(of_type(aws_run, BUCKET))
    for bucket in of_type(aws_run, rules):
        assert at(bucket, "rules", 0, "applyServerSideEncryptionByDefault", "kmsMasterKeyId") == arn
    assert one(aws_run, "aws:fsx/lustreFileSystem:LustreFileSystem", "shared").inputs["kmsKeyId"] == arn
    for template in of_type(aws_run, TEMPLATE):
        assert at(template, "blockDeviceMappings", 0, "ebs", "encrypted") == "true"
        assert at(template, "blockDeviceMappings", 0, "ebs", "kmsKeyId") == "alias/atoll-sample"


def test_lustre_servers_may_call_the_nodes_back(aws_run: Run) -> None:
    group = one(aws_run, "aws:ec2/securityGroup:SecurityGroup", "shared")
    called = [rule for rule in of_type(aws_run, INGRESS) if rule.name.endswith("-clients")]
    assert {(rule.inputs["fromPort"], rule.inputs["toPort"]) for rule in called} == {(988, 988), (1018, 1023)}
    assert all(rule.inputs["referencedSecurityGroupId"] == Unknown(urn=group.urn, output="id") for rule in called)


def test_every_machine_wants_imdsv2_and_keeps_pods_away_from_it(aws_run: Run) -> None:
    for template in of_type(aws_run, TEMPLATE):
        assert at(template, "metadataOptions", "httpTokens") == "required"
        assert at(template, "metadataOptions", "httpPutResponseHopLimit") == 1


def test_every_bucket_is_shut_and_versioned(aws_run: Run) -> None:
    buckets = {bucket.urn for bucket in of_type(aws_run, BUCKET)}
    for suffix in ("bucketPublicAccessBlock", "bucketVersioning", "bucketPolicy", "bucketOwnershipControls"):
        token = f"aws:s3/{suffix}:{suffix[0].upper()}{suffix[1:]}"
        assert {resource.inputs["bucket"].urn for resource in of_type(aws_run, token)} == buckets
    for block in of_type(aws_run, "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"):
        assert all(value is True for name, value in block.inputs.items() if name != "bucket")


def test_the_archive_moves_to_the_class_that_is_priced(aws_run: Run) -> None:
    lifecycle = one(aws_run, "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration", "archive-archive")
    assert at(lifecycle, "rules", 1, "transitions") == [{"days": 0, "storageClass": "GLACIER"}]


def test_the_api_is_private_unless_the_lock_opens_it(aws_run: Run, run_spec: RunSpec) -> None:
    access = at(one(aws_run, CLUSTER, "cluster"), "vpcConfig")
    assert (access["endpointPrivateAccess"], access["endpointPublicAccess"]) == (True, False)
    spec = specs.aws_cluster()
    opened = spec.network.model_copy(update={"api_cidrs": (IPv4Network("203.0.113.0/24"),)})
    access = at(one(run_spec(spec.model_copy(update={"network": opened})), CLUSTER, "cluster"), "vpcConfig")
    assert (access["endpointPublicAccess"], access["publicAccessCidrs"]) == (True, ["203.0.113.0/24"])


def test_the_control_plane_logs_everything_to_a_group_that_is_there_first(aws_run: Run) -> None:
    cluster = one(aws_run, CLUSTER, "cluster")
    logs = one(aws_run, "aws:cloudwatch/logGroup:LogGroup", "control-plane")
    assert len(at(cluster, "enabledClusterLogTypes")) == 5
    assert logs.inputs["name"] == f"/aws/eks/{cluster.inputs['name']}/cluster"
    assert logs.urn in cluster.dependencies or logs.urn in one(aws_run, "atoll:cluster:Cluster", "cluster").dependencies


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


def test_peering_in_one_account_is_accepted_and_routed_both_ways(aws_run: Run) -> None:
    routes = [route for route in of_type(aws_run, "aws:ec2/route:Route") if "vpcPeeringConnectionId" in route.inputs]
    assert sorted(route.inputs["destinationCidrBlock"] for route in routes) == ["10.0.0.0/16"] * 3 + ["10.64.0.0/16"]
    assert of_type(aws_run, "aws:ec2/vpcPeeringConnectionAccepter:VpcPeeringConnectionAccepter")
    assert aws_run.exports["peeringAccepted"] is True


def test_peering_with_another_account_is_left_to_its_owner(run_spec: RunSpec) -> None:
    peering = specs.PEERING.model_copy(update={"account": "111122223333", "route_table_ids": (), "region": "eu-west-1"})
    run = run_spec(with_peering(peering))
    connection = one(run, "aws:ec2/vpcPeeringConnection:VpcPeeringConnection", "main-cloud")
    assert (connection.inputs["peerOwnerId"], connection.inputs["peerRegion"]) == ("111122223333", "eu-west-1")
    assert run.exports["peeringAccepted"] is False
    assert not [each for each in run.resources if "Accepter" in each.type or "Options" in each.type]


@pytest.mark.parametrize(
    ("cidr", "said"), [(None, "not known"), (IPv4Network("10.64.128.0/20"), "overlaps")], ids=["unknown", "overlap"]
)
def test_peering_ranges_must_be_known_and_apart(run_spec: RunSpec, cidr: IPv4Network | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        run_spec(with_peering(specs.PEERING.model_copy(update={"vpc_cidr": cidr})))


def with_peering(peering: Peering) -> ClusterSpec:
    spec = specs.aws_cluster()
    return spec.model_copy(update={"network": spec.network.model_copy(update={"peering": peering})})


def test_without_zones_in_the_lock_the_account_is_asked(run_spec: RunSpec) -> None:
    spec = specs.aws_cluster(pools=(specs.system_pool(),))
    placement = spec.placement.model_copy(update={"zones": ()})
    run = run_spec(spec.model_copy(update={"placement": placement}))
    zones = [subnet.inputs["availabilityZoneId"] for subnet in of_type(run, "aws:ec2/subnet:Subnet")]
    assert zones == [Unknown()] * 6


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pools": (specs.pool("far", zones=("use1-az5",)),)}, "does not span"),
        ({"placement": specs.aws_cluster().placement.model_copy(update={"zones": ("use1-az1",)})}, "names 1"),
        ({"placement": specs.aws_cluster().placement.model_copy(update={"provider": "gcp", "target": "none"})}, "gcp"),
    ],
)
def test_what_cannot_be_built_is_refused_in_words(run_spec: RunSpec, changes: dict[str, object], said: str) -> None:
    with pytest.raises(AtollError, match=said):
        run_spec(specs.aws_cluster(**changes))


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
