"""The warm tier on AWS: FSx for Lustre, one file system that every node mounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

    from planning.spec.cluster import Placement, Tier


MBPS_PER_TIB: Final = 125  # the rate that the catalog prices
LUSTRE_VERSION: Final = "2.15"
# docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
PORTS: Final = ((988, 988), (1018, 1023))
# Backups cost extra and no price is known for them; checkpoints and data sets have their copies in the cold tier.
BACKUP_DAYS: Final = 0
LINKED: Final = "/cold"  # folder in which the cold tier's bucket appears
EVENTS: Final = ("NEW", "CHANGED", "DELETED")


@dataclass(frozen=True, kw_only=True)
class SharedFileSystemArgs:
    """The tier, and the one subnet it is in.

    Args:
        cidr: the network's range; whoever is inside may mount.
        client_group: security group of the nodes; Lustre servers call their clients back.
        bucket: of the cold tier's data, which appears as a folder; None for none.
    """

    placement: Placement
    tier: Tier
    cidr: IPv4Network
    vpc_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    client_group: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    bucket: pulumi.Input[str] | None


@final
class SharedFileSystem(pulumi.ComponentResource):
    """A persistent Lustre file system, encrypted with the customer's key.

    Attributes:
        id: file system id.
        dns_name: host to mount from.
        mount_name: what to mount.
    """

    id: pulumi.Output[str]
    dns_name: pulumi.Output[str]
    mount_name: pulumi.Output[str]

    def __init__(self, name: str, args: SharedFileSystemArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "tier": args.tier.tier}
        super().__init__("atoll:storage:SharedFileSystem", name, facts, opts)
        group = _security_group(args, parent=self)
        lustre = _lustre(args, group=group, parent=self)
        if args.bucket is not None:
            _link(lustre, bucket=args.bucket, parent=self)
        self.id = lustre.id
        self.dns_name = lustre.dns_name
        self.mount_name = lustre.mount_name
        self.register_outputs({"id": self.id, "dnsName": self.dns_name, "mountName": self.mount_name})


def _lustre(
    args: SharedFileSystemArgs, *, group: aws.ec2.SecurityGroup, parent: SharedFileSystem
) -> aws.fsx.LustreFileSystem:
    return aws.fsx.LustreFileSystem(
        "shared",
        deployment_type="PERSISTENT_2",
        storage_type="SSD",
        storage_capacity=args.tier.provisioned_gb,
        per_unit_storage_throughput=MBPS_PER_TIB,
        file_system_type_version=LUSTRE_VERSION,
        data_compression_type="LZ4",
        kms_key_id=args.key_arn,
        subnet_ids=args.subnet_id,
        security_group_ids=[group.id],
        automatic_backup_retention_days=BACKUP_DAYS,
        skip_final_backup=True,
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )


def _link(lustre: aws.fsx.LustreFileSystem, *, bucket: pulumi.Input[str], parent: SharedFileSystem) -> None:
    """The bucket as a folder: a file is fetched when it is first read, and what is written there goes back."""
    aws.fsx.DataRepositoryAssociation(
        "shared-link",
        file_system_id=lustre.id,
        file_system_path=LINKED,
        data_repository_path=pulumi.Output.concat("s3://", bucket),
        batch_import_meta_data_on_create=True,
        delete_data_in_filesystem=False,
        s3=aws.fsx.DataRepositoryAssociationS3Args(
            auto_import_policy=aws.fsx.DataRepositoryAssociationS3AutoImportPolicyArgs(events=list(EVENTS)),
            auto_export_policy=aws.fsx.DataRepositoryAssociationS3AutoExportPolicyArgs(events=list(EVENTS)),
        ),
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _security_group(args: SharedFileSystemArgs, *, parent: SharedFileSystem) -> aws.ec2.SecurityGroup:
    group = aws.ec2.SecurityGroup(
        "shared",
        description="Lustre clients in the cluster network",
        vpc_id=args.vpc_id,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    inside = pulumi.ResourceOptions(parent=group)
    for first, last in PORTS:
        aws.vpc.SecurityGroupIngressRule(
            f"lustre-{first}-in",
            security_group_id=group.id,
            description="Lustre from the cluster network",
            cidr_ipv4=str(args.cidr),
            ip_protocol="tcp",
            from_port=first,
            to_port=last,
            opts=inside,
        )
        aws.vpc.SecurityGroupEgressRule(
            f"lustre-{first}-out",
            security_group_id=group.id,
            description="Lustre to the cluster network",
            cidr_ipv4=str(args.cidr),
            ip_protocol="tcp",
            from_port=first,
            to_port=last,
            opts=inside,
        )
        aws.vpc.SecurityGroupIngressRule(
            f"lustre-{first}-clients",
            security_group_id=args.client_group,
            description="Lustre from the file system back to its clients",
            referenced_security_group_id=group.id,
            ip_protocol="tcp",
            from_port=first,
            to_port=last,
            opts=inside,
        )
    return group


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
