"""An instance of a node group is ended in a made-up account, and only one of our own cluster."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from operations.clouds.aws.client import Clients
from operations.nodes import aws_instances
from operations.nodes.aws_instances import end_instance
from planning.values.errors import InputError

REGION, CLUSTER, GROUP = "us-east-1", "atoll-demo", "eks-train"


@pytest.fixture
def machine(clients_of_aws: Clients) -> str:
    """The one instance of a group of a node group, with the tag that EKS gives it."""
    groups: Any = boto3.client("autoscaling", region_name=REGION)
    image = clients_of_aws.ec2.register_image(Name="any", Architecture="x86_64")["ImageId"]
    groups.create_launch_configuration(LaunchConfigurationName="l", ImageId=image, InstanceType="t3.micro")
    groups.create_auto_scaling_group(
        AutoScalingGroupName=GROUP,
        LaunchConfigurationName="l",
        MinSize=1,
        MaxSize=1,
        DesiredCapacity=1,
        AvailabilityZones=["us-east-1a"],
        Tags=[{"Key": "eks:cluster-name", "Value": CLUSTER, "PropagateAtLaunch": True}],
    )
    return _members()[0]


def _members() -> list[str]:
    groups: Any = boto3.client("autoscaling", region_name=REGION)
    found = groups.describe_auto_scaling_groups(AutoScalingGroupNames=[GROUP])["AutoScalingGroups"][0]
    return [each["InstanceId"] for each in found["Instances"]]


def test_the_instance_is_ended_and_its_group_keeps_its_size(machine: str) -> None:
    assert "its node group starts another one" in end_instance(machine, region=REGION, cluster=CLUSTER)
    (other,) = _members()
    assert other != machine
    assert "already" in end_instance(machine, region=REGION, cluster=CLUSTER)
    assert _members() == [other]


def test_an_instance_of_another_cluster_is_left_alone(machine: str) -> None:
    with pytest.raises(InputError, match=r"not of cluster atoll-other: its tag eks:cluster-name is atoll-demo"):
        end_instance(machine, region=REGION, cluster="atoll-other")
    assert _members() == [machine]


@pytest.mark.usefixtures("clients_of_aws")
def test_one_that_this_account_does_not_have_is_not_taken_for_gone() -> None:
    with pytest.raises(InputError, match=r"AWS refused: DescribeInstances: InvalidInstanceID.NotFound"):
        end_instance("i-0123456789abcdef0", region=REGION, cluster=CLUSTER)


def test_a_right_that_is_missing_is_named(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_machine: str, _region: str) -> None:
        told: Any = {"Error": {"Code": "AccessDenied", "Message": "not authorized"}}
        raise ClientError(told, "TerminateInstanceInAutoScalingGroup")

    monkeypatch.setattr(aws_instances, "_end", denied)
    with pytest.raises(InputError, match="AccessDenied") as refused:
        end_instance(machine, region=REGION, cluster=CLUSTER)
    assert "autoscaling:TerminateInstanceInAutoScalingGroup" in refused.value.hint


@pytest.mark.usefixtures("no_credentials")
def test_without_credentials_the_way_on_is_named() -> None:
    with pytest.raises(InputError, match="no AWS credentials") as refused:
        end_instance("i-0123456789abcdef0", region=REGION, cluster=CLUSTER)
    assert "--ticket" in refused.value.hint
