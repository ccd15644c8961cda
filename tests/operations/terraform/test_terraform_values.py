from __future__ import annotations

import json

from operations.terraform.values import Address, Reader, snake_case
from planning.costs.resources.resource import UNKNOWN, Secret, UnknownValue

KEY = "urn:pulumi:sample::atoll::aws:kms/key:Key::key"
VPC = "urn:pulumi:sample::atoll::aws:ec2/vpc:Vpc::vpc"
GENERATED = "urn:pulumi:sample::atoll::random:index/randomPassword:RandomPassword::word"
ADDRESSES = {KEY: Address("aws_kms_key", "key"), VPC: Address("aws_vpc", "vpc")}


def reader(terraform_type: str = "aws_eks_cluster", *, origins: tuple[str, ...] = ()) -> Reader:
    return Reader(terraform_type=terraform_type, addresses=ADDRESSES, origins=origins)


def test_each_capital_starts_a_word() -> None:
    names = ("vpcId", "ipv6CidrBlock", "enableResourceNameDnsARecord", "name")
    assert [snake_case(name) for name in names] == [
        "vpc_id",
        "ipv6_cidr_block",
        "enable_resource_name_dns_a_record",
        "name",
    ]


def test_a_list_that_pulumi_names_in_the_plural_takes_terraforms_name_where_the_type_has_one() -> None:
    assert reader("aws_eks_node_group").name("taints") == "taint"
    assert reader("aws_s3_bucket_lifecycle_configuration").name("rules") == "rule"
    assert reader("aws_eks_node_group").name("subnetIds") == "subnet_ids"


def test_an_object_is_a_block_and_a_block_is_a_list() -> None:
    read = reader().read("vpcConfig", {"endpointPublicAccess": False, "publicAccessCidrs": ["10.0.0.0/8"]})
    assert read.value == [{"endpoint_public_access": False, "public_access_cidrs": ["10.0.0.0/8"]}]
    assert read.expression == [
        {
            "endpoint_public_access": {"constant_value": False},
            "public_access_cidrs": {"constant_value": ["10.0.0.0/8"]},
        }
    ]


def test_blocks_inside_blocks_are_lists_too_and_take_terraforms_names() -> None:
    rules = [{"id": "class", "filter": {}, "transitions": [{"days": 0, "storageClass": "GLACIER"}]}]
    read = reader("aws_s3_bucket_lifecycle_configuration").read("rules", rules)
    assert read.value == [{"id": "class", "filter": [{}], "transition": [{"days": 0, "storage_class": "GLACIER"}]}]


def test_tags_and_labels_keep_the_users_own_words() -> None:
    read = reader().read("tags", {"costCentre": "ML", "atoll:pool": UNKNOWN})
    assert read.value == {"costCentre": "ML"}
    assert read.unknown == {"atoll:pool": True}


def test_one_value_becomes_a_list_where_terraform_takes_a_list() -> None:
    read = reader("aws_fsx_lustre_file_system").read("subnetIds", "subnet-0")
    assert read.value == ["subnet-0"]


def test_an_unknown_is_no_value_but_a_reference_to_where_it_comes_from() -> None:
    read = reader().read("kmsKeyId", UnknownValue(urn=KEY, output="keyId"))
    assert (read.value, read.unknown, read.absent) == (None, True, True)
    assert read.expression == {"references": ["aws_kms_key.key.key_id", "aws_kms_key.key"]}


def test_an_unknown_that_was_computed_refers_to_the_resource_alone() -> None:
    assert reader().read("policy", UnknownValue(urn=KEY)).expression == {"references": ["aws_kms_key.key"]}


def test_an_unknown_without_an_origin_refers_to_what_the_whole_input_comes_from() -> None:
    assert reader(origins=(VPC,)).read("policy", UNKNOWN).expression == {"references": ["aws_vpc.vpc"]}
    assert reader().read("policy", UNKNOWN).expression == {}


def test_what_comes_from_another_provider_has_no_reference() -> None:
    assert reader().read("password", UnknownValue(urn=GENERATED, output="result")).expression == {}


def test_a_known_value_that_another_resource_hands_on_is_shown_and_refers_to_it() -> None:
    read = reader(origins=(VPC,)).read("clusterName", "atoll-sample")
    assert read.value == "atoll-sample"
    assert read.expression == {"references": ["aws_vpc.vpc"]}


def test_unknown_parts_are_left_out_of_a_block_and_null_in_a_list() -> None:
    key = UnknownValue(urn=KEY, output="arn")
    read = reader().read("encryptionConfig", {"provider": {"keyArn": key}, "resources": ["secrets", key]})
    assert read.value == [{"provider": [{}], "resources": ["secrets", None]}]
    assert read.unknown == [{"provider": [{"key_arn": True}], "resources": [False, True]}]
    assert read.expression == [
        {
            "provider": [{"key_arn": {"references": ["aws_kms_key.key.arn", "aws_kms_key.key"]}}],
            "resources": {"references": ["aws_kms_key.key.arn", "aws_kms_key.key"]},
        }
    ]


def test_a_secret_is_marked_and_never_shown() -> None:
    read = reader("aws_instance").read("ebsBlockDevices", [{"deviceName": "/dev/sdb", "snapshotId": Secret()}])
    assert read.value == [{"device_name": "/dev/sdb"}]
    assert read.sensitive == [{"snapshot_id": True}]
    assert read.unknown == [{"snapshot_id": True}]
    assert "Secret" not in json.dumps([read.value, read.expression])
