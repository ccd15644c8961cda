from __future__ import annotations

from policy_kit import Breaking, changed, sound, with_options, without

AWS_BUCKET = "aws:s3/bucket:Bucket"
GCP_BUCKET = "gcp:storage/bucket:Bucket"
COREWEAVE_BUCKET = "coreweave:index/objectStorageBucket:ObjectStorageBucket"
VERSIONING = "aws:s3/bucketVersioning:BucketVersioning"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"

CASES = (
    Breaking(what="a bucket that may be deleted", stack=lambda: with_options(sound(), AWS_BUCKET, protect=False)),
    Breaking(
        what="a file system that goes with it", stack=lambda: with_options(sound(), LUSTRE, retain_on_delete=False)
    ),
    Breaking(what="a bucket that is emptied", stack=lambda: changed(sound(), AWS_BUCKET, {"forceDestroy": True})),
    Breaking(
        what="versions suspended",
        stack=lambda: changed(sound(), VERSIONING, {"versioningConfiguration.status": "Suspended"}),
    ),
    Breaking(what="no versions", stack=lambda: without(sound(), VERSIONING, name="platform")),
    Breaking(
        what="a key gone in a week",
        stack=lambda: changed(sound(), "aws:kms/key:Key", {"deletionWindowInDays": 7}),
    ),
    Breaking(
        what="a class that deletes volumes",
        stack=lambda: changed(sound(), CLASS, {"reclaimPolicy": "Delete"}),
    ),
    Breaking(
        what="a volume that goes with its claim",
        stack=lambda: changed(
            sound(), "kubernetes:core/v1:PersistentVolume", {"spec.persistentVolumeReclaimPolicy": "Delete"}
        ),
    ),
    Breaking(
        what="a database inside that is not kept",
        stack=lambda: with_options(sound(), "kubernetes:postgresql.cnpg.io/v1:Cluster", retain_on_delete=False),
    ),
    Breaking(
        what="a workload's namespace that is not kept",
        stack=lambda: with_options(
            sound(), "kubernetes:core/v1:Namespace", name="work-finetune-7b", retain_on_delete=False
        ),
    ),
    Breaking(what="gcp: no versions", stack=lambda: changed(sound("gcp"), GCP_BUCKET, {"versioning.enabled": False})),
    Breaking(what="gcp: a bucket without protect", stack=lambda: with_options(sound("gcp"), GCP_BUCKET, protect=False)),
    Breaking(
        what="gcp: a key gone in a day",
        stack=lambda: changed(sound("gcp"), "gcp:kms/cryptoKey:CryptoKey", {"destroyScheduledDuration": "86400s"}),
    ),
    Breaking(
        what="coreweave: no versions",
        stack=lambda: without(
            sound("coreweave"), "coreweave:index/objectStorageBucketVersioning:ObjectStorageBucketVersioning"
        ),
    ),
    Breaking(
        what="coreweave: a bucket that is not kept",
        stack=lambda: with_options(sound("coreweave"), COREWEAVE_BUCKET, retain_on_delete=False),
    ),
    Breaking(
        what="coreweave: a claim that is not kept",
        stack=lambda: with_options(
            sound("coreweave"), "kubernetes:core/v1:PersistentVolumeClaim", retain_on_delete=False
        ),
    ),
)
