"""Security controls of what data lies on, target by target."""

from __future__ import annotations

from typing import Final

from planning.clone.comparison.security_controls.control import THEIRS, Control, ControlClaim, ControlProof

S3_KEY: Final = "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
S3_BLOCK: Final = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
GCS: Final = "gcp:storage/bucket:Bucket"
KEYED: Final = "components/clouds/aws/account/bucket.py"
CW_OBJECTS: Final = "components/clouds/coreweave/storage/buckets.py"
STORAGE_KEY: Final = Control(
    name="storage_key",
    title="buckets, file systems and disks encrypted with a customer's key",
    source="PCI DSS 3",
    claims={
        "aws": ControlClaim(
            level="full",
            words="KMS key of the stack",
            made_by=KEYED,
            proofs=(
                ControlProof(type=S3_KEY, path=("rules", 0, "applyServerSideEncryptionByDefault", "kmsMasterKeyId")),
                ControlProof(type="aws:fsx/lustreFileSystem:LustreFileSystem", path=("kmsKeyId",)),
                ControlProof(
                    type="aws:ec2/launchTemplate:LaunchTemplate", path=("blockDeviceMappings", 0, "ebs", "kmsKeyId")
                ),
            ),
        ),
        "gcp": ControlClaim(
            level="full",
            words="Cloud KMS key of the stack",
            made_by="components/clouds/gcp/storage/buckets.py",
            proofs=(
                ControlProof(type=GCS, path=("encryption", "defaultKmsKeyName")),
                ControlProof(type="gcp:lustre/instance:Instance", path=("kmsKey",)),
                ControlProof(type="gcp:container/nodePool:NodePool", path=("nodeConfig", "bootDiskKmsKey")),
            ),
        ),
        "coreweave": ControlClaim(
            level="none",
            words="CoreWeave encrypts with its own key; a customer's is no argument of its buckets",
            made_by=CW_OBJECTS,
            says="a key of the customer's own is no argument",
            absent=("kms",),
        ),
        "existing": THEIRS,
    },
)
KEY_ROTATION: Final = Control(
    name="key_rotation",
    title="customer's key turned over by itself",
    source="CIS GCP 1.10; CIS AWS, rotation of keys",
    claims={
        "aws": ControlClaim(
            level="full",
            words="every year, by KMS",
            made_by="components/clouds/aws/account/key.py",
            proofs=(ControlProof(type="aws:kms/key:Key", path=("enableKeyRotation",), equals=True),),
        ),
        "gcp": ControlClaim(
            level="full",
            words="every 90 days",
            made_by="components/clouds/gcp/account/key.py",
            proofs=(ControlProof(type="gcp:kms/cryptoKey:CryptoKey", path=("rotationPeriod",), equals="7776000s"),),
        ),
        "coreweave": ControlClaim(
            level="none", words="there is no key of the customer's", made_by=CW_OBJECTS, absent=("kms",)
        ),
        "existing": THEIRS,
    },
)
NOT_PUBLIC: Final = Control(
    name="bucket_public_block",
    title="buckets that nobody can open to the world",
    source="CIS AWS, S3 Block Public Access; CIS GCP, buckets are not public",
    claims={
        "aws": ControlClaim(
            level="full",
            words="S3 Block Public Access, all four",
            made_by=KEYED,
            proofs=tuple(
                ControlProof(type=S3_BLOCK, path=(each,), equals=True)
                for each in ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
            ),
        ),
        "gcp": ControlClaim(
            level="full",
            words="public access prevention enforced, rights by IAM only",
            made_by="components/clouds/gcp/storage/buckets.py",
            proofs=(
                ControlProof(type=GCS, path=("publicAccessPrevention",), equals="enforced"),
                ControlProof(type=GCS, path=("uniformBucketLevelAccess",), equals=True),
            ),
        ),
        "coreweave": ControlClaim(
            level="part",
            words="only the organisation's access policy lets anybody in; no setting forbids to widen it",
            made_by="components/clouds/coreweave/storage/buckets.py",
            proofs=(
                ControlProof(
                    type="coreweave:index/objectStorageOrganizationAccessPolicy:ObjectStorageOrganizationAccessPolicy",
                    path=("statements",),
                ),
            ),
            absent=("publicAccess",),
        ),
        "existing": THEIRS,
    },
)
TLS_ONLY: Final = Control(
    name="bucket_tls",
    title="buckets answer over TLS only",
    source="CIS AWS, bucket policies deny HTTP",
    claims={
        "aws": ControlClaim(
            level="full",
            words="bucket policies refuse requests without TLS",
            made_by=KEYED,
            proofs=(ControlProof(type="aws:s3/bucketPolicy:BucketPolicy", path=("policy",)),),
            says="aws:SecureTransport",
        ),
        "gcp": ControlClaim(
            level="open", words="no source read says that plain HTTP is refused: nothing is set for it"
        ),
        "coreweave": ControlClaim(
            level="none",
            words="inside the cluster the way to buckets is a proxy on each node, over plain HTTP",
            made_by=CW_OBJECTS,
            says="No policy asks for\n    TLS",
        ),
        "existing": THEIRS,
    },
)
VERSIONS: Final = Control(
    name="bucket_versions",
    title="what is overwritten or deleted can be had again",
    source="our own law: what holds data is protected",
    claims={
        "aws": ControlClaim(
            level="full",
            words="versions of every object",
            made_by=KEYED,
            proofs=(
                ControlProof(
                    type="aws:s3/bucketVersioning:BucketVersioning",
                    path=("versioningConfiguration", "status"),
                    equals="Enabled",
                ),
            ),
        ),
        "gcp": ControlClaim(
            level="full",
            words="versions of every object",
            made_by="components/clouds/gcp/storage/buckets.py",
            proofs=(ControlProof(type=GCS, path=("versioning", "enabled"), equals=True),),
        ),
        "coreweave": ControlClaim(
            level="full",
            words="versions of every object",
            made_by=CW_OBJECTS,
            proofs=(
                ControlProof(
                    type="coreweave:index/objectStorageBucketVersioning:ObjectStorageBucketVersioning",
                    path=("versioningConfiguration", "status"),
                    equals="Enabled",
                ),
            ),
        ),
        "existing": THEIRS,
    },
)
DATA_CONTROLS: Final = (STORAGE_KEY, KEY_ROTATION, NOT_PUBLIC, TLS_ONLY, VERSIONS)
