"""Storage classes on Google Cloud, and the persistent volumes of the shared file system and the cold bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.clouds.gcp.cluster.machines import disk_type
from components.context.names import namespace, workloads
from components.context.placement import WorkloadVolume

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.gcp.cluster.context import ClusterContext
    from components.clouds.gcp.storage.file_systems import SharedFileSystem

DISK: Final = "atoll-disk"
SHARED: Final = "atoll-shared"
BUCKET: Final = "atoll-bucket"
SHARED_CLAIM: Final = "shared"
BUCKET_CLAIM: Final = "bucket"
BUCKET_GIB: Final = 1000  # Kubernetes requires a size; a bucket has none
DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"


def list_workload_volumes(
    files: Sequence[SharedFileSystem], bucket: pulumi.Input[str] | None
) -> tuple[WorkloadVolume, ...]:
    """Volumes of each workload: of the first shared file system and of the cold bucket."""
    shared = tuple(WorkloadVolume(claim=SHARED_CLAIM, storage_class=SHARED, gib=each.size_gib) for each in files[:1])
    objects = WorkloadVolume(claim=BUCKET_CLAIM, storage_class=BUCKET, gib=BUCKET_GIB)
    return shared if bucket is None else (*shared, objects)


@final
class Classes(pulumi.ComponentResource):
    """`atoll-disk`, the default: disks that outlive their claim; `atoll-shared` and `atoll-bucket` if wanted."""

    def __init__(
        self,
        name: str,
        here: ClusterContext,
        *,
        files: Sequence[SharedFileSystem],
        bucket: pulumi.Input[str] | None,
        opts: pulumi.ResourceOptions,
    ) -> None:
        """Registers the classes, and a volume for each workload.

        Args:
            files: shared file systems; workloads use the first.
            bucket: the cold tier's bucket, mounted by Cloud Storage FUSE.
        """
        super().__init__("atoll:storage:Classes", name, {}, opts)
        # The default is the disk type of the system pool's machines; other disk types have classes of their own.
        pools = sorted(here.spec.pools, key=lambda pool: pool.role != "system")
        default, *others = dict.fromkeys(disk_type(pool) for pool in pools)
        _create_disk_class(DISK, default, key_id=here.key.id, default=True, parent=self)
        for kind in others:
            _create_disk_class(f"{DISK}-{kind}", kind, key_id=here.key.id, default=False, parent=self)
        for shared in files[:1]:
            _create_static_class(SHARED, parent=self)
            for workload in workloads(here.spec):
                _create_shared_volume(shared, workload=workload, parent=self)
        if bucket is not None:
            _create_static_class(BUCKET, parent=self)
            for workload in workloads(here.spec):
                _create_bucket_volume(bucket, workload=workload, parent=self)
        self.register_outputs({})


def _create_disk_class(name: str, kind: str, *, key_id: pulumi.Input[str], default: bool, parent: Classes) -> None:
    kubernetes.storage.v1.StorageClass(
        name,
        metadata={"name": name, "annotations": {DEFAULT: "true" if default else "false"}},
        provisioner="pd.csi.storage.gke.io",
        parameters={"type": kind, "disk-encryption-kms-key": key_id},
        volume_binding_mode="WaitForFirstConsumer",
        allow_volume_expansion=True,
        reclaim_policy="Retain",
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _create_static_class(name: str, *, parent: Classes) -> None:
    """A class of static volumes, each reserved for its claim."""
    kubernetes.storage.v1.StorageClass(
        name,
        metadata={"name": name},
        provisioner="kubernetes.io/no-provisioner",
        volume_binding_mode="Immediate",
        reclaim_policy="Retain",
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _create_shared_volume(files: SharedFileSystem, *, workload: str, parent: Classes) -> None:
    kubernetes.core.v1.PersistentVolume(
        f"shared-{workload}",
        metadata={"name": f"shared-{workload}"},
        spec={
            "capacity": {"storage": f"{files.size_gib}Gi"},
            "access_modes": ["ReadWriteMany"],
            "volume_mode": "Filesystem",
            "persistent_volume_reclaim_policy": "Retain",
            "storage_class_name": SHARED,
            "claim_ref": {"namespace": namespace(workload), "name": SHARED_CLAIM},
            "csi": {
                "driver": files.driver,
                "volume_handle": pulumi.Output.concat(files.handle, "/", workload),  # one node may mount several
                "volume_attributes": dict(files.attributes),
            },
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _create_bucket_volume(bucket: pulumi.Input[str], *, workload: str, parent: Classes) -> None:
    """Pods that mount it need the annotation gke-gcsfuse/volumes and the service account `workload`."""
    kubernetes.core.v1.PersistentVolume(
        f"bucket-{workload}",
        metadata={"name": f"bucket-{workload}"},
        spec={
            "capacity": {"storage": f"{BUCKET_GIB}Gi"},
            "access_modes": ["ReadWriteMany"],
            "persistent_volume_reclaim_policy": "Retain",
            "storage_class_name": BUCKET,
            "claim_ref": {"namespace": namespace(workload), "name": BUCKET_CLAIM},
            "mount_options": ["implicit-dirs"],
            "csi": {
                "driver": "gcsfuse.csi.storage.gke.io",
                # The driver drops what follows a colon (gcs-fuse-csi-driver, pkg/util/util.go), and two volumes of one
                # handle would be one to a node.
                "volume_handle": pulumi.Output.concat(bucket, ":", workload),
            },
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
