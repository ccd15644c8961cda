"""Storage classes on AWS, and the persistent volumes of the shared file system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import SYSTEM_NAMESPACE, namespace, workloads
from components.context.placement import StorageClasses, WorkloadVolume

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.aws.cluster.context import ClusterContext
    from components.clouds.aws.storage.file_systems import FileSystems, SharedFileSystem

DISK: Final = "atoll-disk"
SHARED: Final = "atoll-shared"
COLD: Final = "atoll-cold"
CLAIM: Final = "shared"


@final
class Classes(pulumi.ComponentResource):
    """`atoll-disk`, the default: EBS volumes that outlive their claim; `atoll-shared` and `atoll-cold` if wanted."""

    names: StorageClasses
    volumes: Sequence[WorkloadVolume]

    def __init__(self, name: str, files: FileSystems, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:storage:Classes", name, {}, opts)
        self.names = StorageClasses(
            disk=DISK, shared=SHARED if files.shared is not None else "", cold=COLD if files.disk is not None else ""
        )
        self.volumes = ()
        kubernetes.storage.v1.StorageClass(
            DISK,
            metadata={"name": DISK, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
            provisioner="ebs.csi.aws.com",
            parameters={"type": "gp3", "encrypted": "true", "kmsKeyId": here.key.arn},
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            reclaim_policy="Retain",
            opts=pulumi.ResourceOptions(parent=self),
        )
        if files.shared is not None:
            volume = WorkloadVolume(claim=CLAIM, storage_class=SHARED, gib=files.shared.size_gib, shut=True)
            self.volumes = (volume,)
            _register_shared_volumes(files.shared, volume, workloads=workloads(here.spec), parent=self)
        if files.disk is not None:
            kubernetes.storage.v1.StorageClass(
                COLD,
                metadata={"name": COLD},
                provisioner="efs.csi.aws.com",
                parameters={"provisioningMode": "efs-ap", "fileSystemId": files.disk.id, "directoryPerms": "700"},
                mount_options=["tls"],
                volume_binding_mode="Immediate",
                reclaim_policy="Retain",
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})


def _register_shared_volumes(
    files: SharedFileSystem, kept: WorkloadVolume, *, workloads: Sequence[str], parent: Classes
) -> None:
    """Static volumes of the existing file system, one reserved for the claim of each workload."""
    opts = pulumi.ResourceOptions(parent=parent)
    kubernetes.storage.v1.StorageClass(
        SHARED,
        metadata={"name": SHARED},
        provisioner="kubernetes.io/no-provisioner",
        volume_binding_mode="Immediate",
        reclaim_policy="Retain",
        opts=opts,
    )
    homes = {**{workload: namespace(workload) for workload in workloads}, SYSTEM_NAMESPACE: SYSTEM_NAMESPACE}
    for owner, home in homes.items():
        kubernetes.core.v1.PersistentVolume(
            kept.name(owner),
            metadata={"name": kept.name(owner)},
            spec={
                "capacity": {"storage": f"{kept.gib}Gi"},
                "access_modes": ["ReadWriteMany"],
                "volume_mode": "Filesystem",
                "mount_options": ["flock"],
                "persistent_volume_reclaim_policy": "Retain",
                "storage_class_name": SHARED,
                "claim_ref": {"namespace": home, "name": kept.claim},
                "csi": {
                    "driver": "fsx.csi.aws.com",
                    "volume_handle": pulumi.Output.concat(files.id, "-", owner),  # one node may mount several
                    "volume_attributes": {"dnsname": files.dns_name, "mountname": files.mount_name},
                },
            },
            opts=opts,
        )
