from __future__ import annotations

from policy_kit import Breaking, added, changed, made, sound, without

from planning.costs.resources.resource import UNKNOWN
from policy_cases._plain import plain

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
EKS = "aws:eks/cluster:Cluster"
GKE = "gcp:container/cluster:Cluster"
BUCKET_KEY = "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
RULE_OF_BUCKET = "rules.0.applyServerSideEncryptionByDefault"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"

CASES = (
    Breaking(
        what="a disk that is not encrypted",
        stack=lambda: changed(sound(), TEMPLATE, {"blockDeviceMappings.0.ebs.encrypted": "false"}),
    ),
    Breaking(
        what="a disk under the cloud's own key",
        stack=lambda: changed(sound(), TEMPLATE, {"blockDeviceMappings.0.ebs.kmsKeyId": "alias/aws/ebs"}),
    ),
    Breaking(
        what="a node class under an alias that is not ours",
        stack=lambda: changed(
            sound(),
            "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
            {"spec.blockDeviceMappings.0.ebs.kmsKeyID": "alias/theirs"},
        ),
    ),
    Breaking(what="a bucket without a key", stack=lambda: without(sound(), BUCKET_KEY, name="platform")),
    Breaking(
        what="a bucket under AES256",
        stack=lambda: changed(sound(), BUCKET_KEY, {f"{RULE_OF_BUCKET}.sseAlgorithm": "AES256"}),
    ),
    Breaking(
        what="a bucket under the cloud's key",
        stack=lambda: plain(sound(), BUCKET_KEY, {"rules": [{"applyServerSideEncryptionByDefault": {}}]}),
    ),
    Breaking(
        what="secrets of the cluster without a key",
        stack=lambda: plain(sound(), EKS, {"encryptionConfig": None}),
    ),
    Breaking(
        what="secrets of the cluster left out",
        stack=lambda: changed(sound(), EKS, {"encryptionConfig.resources": []}),
    ),
    Breaking(
        what="logs without a key", stack=lambda: plain(sound(), "aws:cloudwatch/logGroup:LogGroup", {"kmsKeyId": None})
    ),
    Breaking(
        what="a file system under a key of unknown origin",
        stack=lambda: plain(sound(), "aws:fsx/lustreFileSystem:LustreFileSystem", {"kmsKeyId": UNKNOWN}),
        unclear=True,
    ),
    Breaking(
        what="a class of volumes that are not encrypted",
        stack=lambda: changed(sound(), CLASS, {"parameters.encrypted": "false"}),
    ),
    Breaking(
        what="a listener without TLS",
        stack=lambda: added(sound(), made("aws:lb/listener:Listener", "plain", protocol="HTTP", port=80)),
    ),
    Breaking(
        what="gcp: a bucket under Google's key",
        stack=lambda: plain(sound("gcp"), "gcp:storage/bucket:Bucket", {"encryption": None}),
    ),
    Breaking(
        what="gcp: a cluster whose secrets are not encrypted",
        stack=lambda: changed(sound("gcp"), GKE, {"databaseEncryption.state": "DECRYPTED"}),
    ),
    Breaking(
        what="gcp: disks of nodes under Google's key",
        stack=lambda: plain(sound("gcp"), "gcp:container/nodePool:NodePool", {"nodeConfig.bootDiskKmsKey": None}),
    ),
    Breaking(
        what="gcp: a class of volumes under Google's key",
        stack=lambda: plain(sound("gcp"), CLASS, {"parameters": {"type": "pd-balanced"}}, name="atoll-disk"),
    ),
)
