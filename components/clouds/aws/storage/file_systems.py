"""File systems on AWS: FSx for Lustre, linked to a bucket, and EFS. The hot tier is local NVMe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.aws.cluster.context import ClusterContext
    from components.clouds.aws.storage.buckets import ObjectTier
    from planning.spec.cluster import Tier


SHARED: Final = "shared_ssd"
DISK: Final = "shared_disk"
COLD: Final = "cold"
NFS: Final = 2049
MBPS_PER_TIB: Final = 125  # the rate that the catalog prices
LUSTRE_VERSION: Final = "2.15"
# docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
PORTS: Final = ((988, 988), (1018, 1023))
# Backups cost extra and no price is known for them; checkpoints and data sets have their copies in the cold tier.
BACKUP_DAYS: Final = 0
LINKED: Final = "/cold"  # folder in which the cold tier's bucket appears
EVENTS: Final = ("NEW", "CHANGED", "DELETED")


@dataclass(frozen=True, kw_only=True)
class FileSystems:
    """The parallel file system (FSx) and the plain one (EFS), each None where no tier uses it."""

    shared: SharedFileSystem | None
    disk: SharedDisk | None


def register_file_systems(here: ClusterContext, objects: Sequence[ObjectTier]) -> FileSystems:
    tiers = {tier.item: tier for tier in here.spec.storage}
    bucket = next((tier.data for tier in objects if tier.tier == COLD), None)
    shared = tiers.get(SHARED)
    disk = tiers.get(DISK)
    return FileSystems(
        shared=None if shared is None else SharedFileSystem(shared, here, bucket=bucket),
        disk=None if disk is None else SharedDisk(disk, here),
    )


@final
class SharedFileSystem(pulumi.ComponentResource):
    """A persistent Lustre file system, encrypted with the customer's key."""

    id: pulumi.Output[str]
    dns_name: pulumi.Output[str]
    mount_name: pulumi.Output[str]
    size_gib: int

    def __init__(self, tier: Tier, here: ClusterContext, *, bucket: pulumi.Input[str] | None) -> None:
        """Registers it in one subnet; the cold tier's `bucket` appears in it as a folder."""
        facts = here.site.describe(tier=tier.tier)
        super().__init__("atoll:storage:SharedFileSystem", f"tier-{tier.tier}", facts, here.options())
        group = _create_lustre_group(here, parent=self)
        lustre = aws.fsx.LustreFileSystem(
            "shared",
            deployment_type="PERSISTENT_2",
            storage_type="SSD",
            storage_capacity=tier.provisioned_gb,
            per_unit_storage_throughput=MBPS_PER_TIB,
            file_system_type_version=LUSTRE_VERSION,
            data_compression_type="LZ4",
            kms_key_id=here.key.arn,
            subnet_ids=here.network.private_subnets[0],
            security_group_ids=[group.id],
            automatic_backup_retention_days=BACKUP_DAYS,
            skip_final_backup=True,
            opts=pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True),
        )
        if bucket is not None:
            _link(lustre, bucket=bucket, parent=self)
        self.size_gib = tier.provisioned_gb
        self.id = lustre.id
        self.dns_name = lustre.dns_name
        self.mount_name = lustre.mount_name
        self.register_outputs({"id": self.id, "dnsName": self.dns_name, "mountName": self.mount_name})


def _link(lustre: aws.fsx.LustreFileSystem, *, bucket: pulumi.Input[str], parent: SharedFileSystem) -> None:
    """The bucket as a folder: files are fetched on first read, and written ones are exported."""
    aws.fsx.DataRepositoryAssociation(
        "shared-link",
        file_system_id=lustre.id,
        file_system_path=LINKED,
        data_repository_path=pulumi.Output.concat("s3://", bucket),
        batch_import_meta_data_on_create=True,
        delete_data_in_filesystem=False,
        s3={"auto_import_policy": {"events": list(EVENTS)}, "auto_export_policy": {"events": list(EVENTS)}},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _create_lustre_group(here: ClusterContext, *, parent: SharedFileSystem) -> aws.ec2.SecurityGroup:
    """Everything in the cluster network may mount."""
    cidr = str(here.spec.network.cidr)
    group = aws.ec2.SecurityGroup(
        "shared",
        description="Lustre clients in the cluster network",
        vpc_id=here.network.vpc_id,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    inside = pulumi.ResourceOptions(parent=group)
    for first, last in PORTS:
        aws.vpc.SecurityGroupIngressRule(
            f"lustre-{first}-in",
            security_group_id=group.id,
            description="Lustre from the cluster network",
            cidr_ipv4=cidr,
            ip_protocol="tcp",
            from_port=first,
            to_port=last,
            opts=inside,
        )
        # Lustre servers connect back to their clients.
        aws.vpc.SecurityGroupEgressRule(
            f"lustre-{first}-out",
            security_group_id=group.id,
            description="Lustre to the cluster network",
            cidr_ipv4=cidr,
            ip_protocol="tcp",
            from_port=first,
            to_port=last,
            opts=inside,
        )
        aws.vpc.SecurityGroupIngressRule(
            f"lustre-{first}-clients",
            security_group_id=here.cluster.security_group,
            description="Lustre from the file system back to its clients",
            referenced_security_group_id=group.id,
            ip_protocol="tcp",
            from_port=first,
            to_port=last,
            opts=inside,
        )
    return group


@final
class SharedDisk(pulumi.ComponentResource):
    """A file system over every zone of the cluster, encrypted with the customer's key; mounts wait for `targets`."""

    id: pulumi.Output[str]
    targets: Sequence[pulumi.Resource]

    def __init__(self, tier: Tier, here: ClusterContext) -> None:
        facts = here.site.describe(tier=tier.tier, charges=here.site.ledger.claim(f"disk/{tier.tier}"))
        super().__init__("atoll:storage:SharedDisk", f"tier-{tier.tier}", facts, here.options())
        inside = pulumi.ResourceOptions(parent=self)
        files = aws.efs.FileSystem(
            "shared-disk",
            encrypted=True,
            kms_key_id=here.key.arn,
            throughput_mode="elastic",
            opts=pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True),
        )
        description = "NFS clients in the cluster network"
        group = aws.ec2.SecurityGroup("shared-disk", description=description, vpc_id=here.network.vpc_id, opts=inside)
        aws.vpc.SecurityGroupIngressRule(
            "shared-disk-in",
            security_group_id=group.id,
            cidr_ipv4=str(here.spec.network.cidr),
            ip_protocol="tcp",
            from_port=NFS,
            to_port=NFS,
            description="NFS from the cluster network",
            opts=pulumi.ResourceOptions(parent=group),
        )
        self.id = files.id
        self.targets = [
            aws.efs.MountTarget(
                f"shared-disk-{index}",
                file_system_id=files.id,
                subnet_id=subnet,
                security_groups=[group.id],
                opts=inside,
            )
            for index, subnet in enumerate(here.network.private_subnets)
        ]
        self.register_outputs({"id": self.id})
