"""A plain shared file system on AWS: EFS, slow and cheap, whose claims are folders of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

    from planning.spec.cluster import Placement, Tier

NFS: Final = 2049


@dataclass(frozen=True, kw_only=True)
class SharedDiskArgs:
    """The tier, the subnets it is reached from, and the declared charges of its volume."""

    placement: Placement
    tier: Tier
    cidr: IPv4Network
    vpc_id: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    key_arn: pulumi.Input[str]
    charges: Sequence[dict[str, object]]


@final
class SharedDisk(pulumi.ComponentResource):
    """A file system over every zone of the cluster, encrypted with the customer's key.

    Attributes:
        id: file system id.
        targets: what a mount waits for.
    """

    id: pulumi.Output[str]
    targets: Sequence[pulumi.Resource]

    def __init__(self, name: str, args: SharedDiskArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts: dict[str, object] = {
            "provider": args.placement.provider,
            "region": args.placement.region,
            "tier": args.tier.tier,
            "charges": list(args.charges),
        }
        super().__init__("atoll:storage:SharedDisk", name, facts, opts)
        files = aws.efs.FileSystem(
            "shared-disk",
            encrypted=True,
            kms_key_id=args.key_arn,
            throughput_mode="elastic",
            opts=pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True),
        )
        self.id = files.id
        self.targets = _targets(args, files=files, parent=self)
        self.register_outputs({"id": self.id})


def _targets(args: SharedDiskArgs, *, files: aws.efs.FileSystem, parent: SharedDisk) -> list[pulumi.Resource]:
    """One address in each subnet, reached over NFS from inside the network only."""
    inside = pulumi.ResourceOptions(parent=parent)
    group = aws.ec2.SecurityGroup(
        "shared-disk", description="NFS clients in the cluster network", vpc_id=args.vpc_id, opts=inside
    )
    aws.vpc.SecurityGroupIngressRule(
        "shared-disk-in",
        security_group_id=group.id,
        cidr_ipv4=str(args.cidr),
        ip_protocol="tcp",
        from_port=NFS,
        to_port=NFS,
        description="NFS from the cluster network",
        opts=pulumi.ResourceOptions(parent=group),
    )
    return [
        aws.efs.MountTarget(
            f"shared-disk-{index}", file_system_id=files.id, subnet_id=subnet, security_groups=[group.id], opts=inside
        )
        for index, subnet in enumerate(args.subnet_ids)
    ]
