from __future__ import annotations

import json
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, TypeAlias

import pytest
import specs
from look import at, of_type, one

from planning.costs.resources.resource import UnknownValue
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec, Peering

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
CLUSTER = "aws:eks/cluster:Cluster"
BUCKET = "aws:s3/bucket:Bucket"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"


def test_every_aws_resource_uses_the_tagged_provider_of_the_region(aws_run: OfflineRun) -> None:
    provider = one(aws_run, "pulumi:providers:aws", "aws")
    tags = json.loads(at(provider, "defaultTags"))["tags"]
    assert tags == {"atoll:customer": "acme", "atoll:stack": "sample", "atoll:owner": "ml@acme.example"}
    assert at(provider, "region") == "us-east-1"
    strays = [each.urn for each in aws_run.resources if each.type.startswith("aws:") and each.provider != provider.urn]
    assert not strays


def test_machines_and_disks_carry_the_tags_of_stack_and_pool(aws_run: OfflineRun) -> None:
    of_group = [each["tags"] for each in at(one(aws_run, TEMPLATE, "nodes-train"), "tagSpecifications")]
    of_class = at(one(aws_run, CLASS, "nodes-serve"), "spec", "tags")
    for name, tags in (("train", of_group[0]), ("train", of_group[1]), ("serve", of_class)):
        own = {"atoll:pool": name, "atoll:role": "gpu", "atoll:workload": name}
        assert tags == {**own, "atoll:customer": "acme", "atoll:stack": "sample", "atoll:owner": "ml@acme.example"}


def test_stateful_leaves_are_protected_and_kept(aws_run: OfflineRun) -> None:
    stateful = ("aws:s3/bucket:Bucket", "aws:kms/key:Key", "aws:fsx/lustreFileSystem:LustreFileSystem")
    for token in stateful:
        for resource in of_type(aws_run, token):
            assert resource.protect, resource.urn
            assert resource.retain_on_delete, resource.urn


def test_no_rule_lets_the_internet_in(aws_run: OfflineRun) -> None:
    for rule in of_type(aws_run, INGRESS):
        assert rule.inputs.get("cidrIpv4") != "0.0.0.0/0"
        assert "cidrIpv6" not in rule.inputs
    for group in of_type(aws_run, "aws:ec2/securityGroup:SecurityGroup"):
        assert "ingress" not in group.inputs
    default = one(aws_run, "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "default")
    assert set(default.inputs) == {"vpcId"}


def test_everything_that_rests_is_encrypted_with_the_one_key(aws_run: OfflineRun) -> None:
    key = one(aws_run, "aws:kms/key:Key", "key")
    arn = UnknownValue(urn=key.urn, output="arn")
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
    for made_of in of_type(aws_run, CLASS):
        disk = at(made_of, "spec", "blockDeviceMappings", 0, "ebs")
        assert (disk["encrypted"], disk["kmsKeyID"]) == (True, "alias/atoll-sample")


def test_lustre_servers_may_call_the_nodes_back(aws_run: OfflineRun) -> None:
    group = one(aws_run, "aws:ec2/securityGroup:SecurityGroup", "shared")
    called = [rule for rule in of_type(aws_run, INGRESS) if rule.name.endswith("-clients")]
    assert {(rule.inputs["fromPort"], rule.inputs["toPort"]) for rule in called} == {(988, 988), (1018, 1023)}
    assert all(rule.inputs["referencedSecurityGroupId"] == UnknownValue(urn=group.urn, output="id") for rule in called)


def test_every_machine_wants_imdsv2_and_keeps_pods_away_from_it(aws_run: OfflineRun) -> None:
    for template in of_type(aws_run, TEMPLATE):
        assert at(template, "metadataOptions", "httpTokens") == "required"
        assert at(template, "metadataOptions", "httpPutResponseHopLimit") == 1
    for made_of in of_type(aws_run, CLASS):
        assert at(made_of, "spec", "metadataOptions", "httpTokens") == "required"
        assert at(made_of, "spec", "metadataOptions", "httpPutResponseHopLimit") == 1


def test_every_bucket_is_shut_and_versioned(aws_run: OfflineRun) -> None:
    buckets = {bucket.urn for bucket in of_type(aws_run, BUCKET)}
    for suffix in ("bucketPublicAccessBlock", "bucketVersioning", "bucketPolicy", "bucketOwnershipControls"):
        token = f"aws:s3/{suffix}:{suffix[0].upper()}{suffix[1:]}"
        assert {resource.inputs["bucket"].urn for resource in of_type(aws_run, token)} == buckets
    for block in of_type(aws_run, "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"):
        assert all(value is True for name, value in block.inputs.items() if name != "bucket")


def test_the_archive_moves_to_the_class_that_is_priced(aws_run: OfflineRun) -> None:
    lifecycle = one(aws_run, "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration", "archive-archive")
    assert at(lifecycle, "rules", 1, "transitions") == [{"days": 0, "storageClass": "GLACIER"}]


def test_the_api_is_private_unless_the_lock_opens_it(aws_run: OfflineRun, run_spec: RunSpec) -> None:
    access = at(one(aws_run, CLUSTER, "cluster"), "vpcConfig")
    assert (access["endpointPrivateAccess"], access["endpointPublicAccess"]) == (True, False)
    spec = specs.aws_cluster()
    opened = spec.network.model_copy(update={"api_cidrs": (IPv4Network("203.0.113.0/24"),)})
    access = at(one(run_spec(spec.model_copy(update={"network": opened})), CLUSTER, "cluster"), "vpcConfig")
    assert (access["endpointPublicAccess"], access["publicAccessCidrs"]) == (True, ["203.0.113.0/24"])


def test_the_control_plane_logs_everything_to_a_group_that_is_there_first(aws_run: OfflineRun) -> None:
    cluster = one(aws_run, CLUSTER, "cluster")
    logs = one(aws_run, "aws:cloudwatch/logGroup:LogGroup", "control-plane")
    assert len(at(cluster, "enabledClusterLogTypes")) == 5
    assert logs.inputs["name"] == f"/aws/eks/{cluster.inputs['name']}/cluster"
    assert logs.urn in cluster.dependencies or logs.urn in one(aws_run, "atoll:cluster:Cluster", "cluster").dependencies


def test_peering_in_one_account_is_accepted_and_routed_both_ways(aws_run: OfflineRun) -> None:
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
    assert zones == [UnknownValue()] * 6


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
