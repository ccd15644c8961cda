"""An EC2 instance of a node group, ended so that the group starts another one in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import boto3
from botocore.config import Config

from operations.clouds.aws.client import REFUSED, clients, refusal
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.clouds.aws.client import Clients

CLUSTER_TAG: Final = "eks:cluster-name"  # EKS puts it on every instance of a managed node group
GONE: Final = frozenset({"shutting-down", "terminated"})
NEEDED: Final = (
    "ec2:DescribeInstances and autoscaling:TerminateInstanceInAutoScalingGroup are needed; or go on with --ticket"
)
ACCOUNT: Final = "nothing was ended; look which account and region your credentials are of"
_CONFIG: Final = Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 3, "mode": "standard"})


def end_instance(machine_id: str, *, region: str, cluster: str) -> str:
    """End an instance whose group keeps its size; what was done, in words. One that is gone already is left.

    Args:
        cluster: name of the EKS cluster that its tag has to name.

    Raises:
        InputError: it is not of this cluster, or AWS refuses.
    """
    made = clients(region)
    if isinstance(made, str):
        raise InputError(made, hint=NEEDED)
    try:
        state, owner = _state(made, machine_id)
        if state in GONE:
            return f"instance {machine_id} is {state} already"
        # The id may belong to another cluster of the account.
        if owner != cluster:
            raise InputError(
                f"instance {machine_id} is not of cluster {cluster}: its tag {CLUSTER_TAG} is {owner or 'missing'}",
                hint=ACCOUNT,
            )
        _end(machine_id, region)
    except REFUSED as error:
        raise InputError(f"AWS refused: {refusal(error)}", hint=NEEDED) from error
    return f"instance {machine_id} was ended; its node group starts another one"


def _state(made: Clients, machine_id: str) -> tuple[str, str]:
    """State, and cluster by its tag.

    Raises:
        InputError: this account has no such instance in this region.
    """
    answer = made.ec2.describe_instances(InstanceIds=[machine_id])
    for reservation in answer["Reservations"]:
        for each in reservation.get("Instances", []):
            tags = {tag.get("Key", ""): tag.get("Value", "") for tag in each.get("Tags", [])}
            return each.get("State", {}).get("Name", ""), tags.get(CLUSTER_TAG, "")
    raise InputError(f"this AWS account has no instance {machine_id} in {made.region}", hint=ACCOUNT)


def _end(machine_id: str, region: str) -> None:
    make = cast("Callable[..., object]", boto3.Session().client)  # pyright: ignore[reportUnknownMemberType]
    groups = make("autoscaling", region_name=region, config=_CONFIG)
    end = cast("Callable[..., object]", getattr(groups, "terminate_instance_in_auto_scaling_group"))  # noqa: B009 - no stubs of this service
    end(InstanceId=machine_id, ShouldDecrementDesiredCapacity=False)
