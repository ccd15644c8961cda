"""Storage classes of Google Cloud, and the volumes of the shared file system: who provisions what, with which key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import namespace
from components.context.placement import WorkloadVolume

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.gcp.storage.file_systems import SharedFileSystem

DISK: Final = "atoll-disk"
SHARED: Final = "atoll-shared"
BUCKET: Final = "atoll-bucket"
SHARED_CLAIM: Final = "shared"
BUCKET_CLAIM: Final = "bucket"
BUCKET_GIB: Final = 1000  # said because Kubernetes wants a size; a bucket has none
DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"


@dataclass(frozen=True, kw_only=True)
class ClassesArgs:
    """What volumes come from.

    Args:
        disk_types: kinds of disk that the nodes attach; the first is the default, the others have classes of their own.
        files: shared file systems; the first is the one that workloads get.
        bucket: the cold tier's bucket, mounted by Cloud Storage FUSE; None for none.
        workloads: each of which gets a volume of both.
    """

    key_id: pulumi.Input[str]
    disk_types: Sequence[str]
    files: Sequence[SharedFileSystem]
    bucket: pulumi.Input[str] | None
    workloads: Sequence[str]


def list_workload_volumes(
    files: Sequence[SharedFileSystem], bucket: pulumi.Input[str] | None
) -> tuple[WorkloadVolume, ...]:
    """Volumes of the first shared file system and of the cold bucket, which are kept for each workload."""
    shared = tuple(WorkloadVolume(claim=SHARED_CLAIM, storage_class=SHARED, gib=each.size_gib) for each in files[:1])
    return (
        shared
        if bucket is None
        else (*shared, WorkloadVolume(claim=BUCKET_CLAIM, storage_class=BUCKET, gib=BUCKET_GIB))
    )


@final
class Classes(pulumi.ComponentResource):
    """`atoll-disk`, the default: disks outliving their claim; `atoll-shared`, where there is a shared file system."""

    def __init__(self, name: str, args: ClassesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:storage:Classes", name, {}, opts)
        default, *others = args.disk_types
        _disk(DISK, default, key_id=args.key_id, default=True, parent=self)
        for kind in others:
            _disk(f"{DISK}-{kind}", kind, key_id=args.key_id, default=False, parent=self)
        for files in args.files[:1]:
            _static(SHARED, parent=self)
            for workload in args.workloads:
                _register_shared_volume(files, workload=workload, parent=self)
        if args.bucket is not None:
            _static(BUCKET, parent=self)
            for workload in args.workloads:
                _bucket(args.bucket, workload=workload, parent=self)
        self.register_outputs({})


def _disk(name: str, kind: str, *, key_id: pulumi.Input[str], default: bool, parent: Classes) -> None:
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


def _static(name: str, *, parent: Classes) -> None:
    """Nothing provisions it: what it holds is there, and volumes of it are kept for their claims."""
    kubernetes.storage.v1.StorageClass(
        name,
        metadata={"name": name},
        provisioner="kubernetes.io/no-provisioner",
        volume_binding_mode="Immediate",
        reclaim_policy="Retain",
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _register_shared_volume(files: SharedFileSystem, *, workload: str, parent: Classes) -> None:
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


def _bucket(bucket: pulumi.Input[str], *, workload: str, parent: Classes) -> None:
    """Pods that mount it say so by the annotation gke-gcsfuse/volumes and run as the account `workload`."""
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
