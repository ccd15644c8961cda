"""Stored data is encrypted with the customer's key, and public listeners use TLS."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from policies.properties import check_resources, over, walk
from policies.rule import Rule, Severity
from policies.rules.security.resource_origins import origins, settings_of, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Properties, Resource
    from policies.rule import Breach
    from policies.stack_context import StackContext


@dataclass(frozen=True, kw_only=True)
class EncryptionDemand:
    """Required encryption properties of a type; "[]" in a path stands for every element of a list.

    Args:
        keys: paths of key references.
        flags: paths that must be true.
        texts: paths with the text that they must have.
        where: path and text of the resources that it applies to; None for all.
    """

    keys: tuple[str, ...]
    flags: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    where: tuple[str, str] | None = None


KEYS: Final = ("aws:kms/key:Key", "aws:kms/replicaKey:ReplicaKey", "gcp:kms/cryptoKey:CryptoKey")
ALIAS: Final = "aws:kms/alias:Alias"
OWN_ALIAS: Final = "alias/aws/"
EXPLICIT: Final = re.compile(
    r"arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:(key/.+|alias/(?!aws/).+)"
    r"|projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+"
)
LIMIT: Final = "stored data is encrypted with the customer's key"
TLS: Final = "network traffic is encrypted"
BUCKET: Final = "aws:s3/bucket:Bucket"
BUCKET_KEY: Final = "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
CLASS: Final = "kubernetes:storage.k8s.io/v1:StorageClass"
LISTENERS: Final = ("aws:lb/listener:Listener", "aws:alb/listener:Listener")
ENCRYPTED: Final = ("HTTPS", "TLS")
# Basic Filestore shares take no key of ours (Google encrypts them), so they are not here.
DEMANDS: Final[tuple[tuple[str, EncryptionDemand], ...]] = (
    (
        "aws:ec2/launchTemplate:LaunchTemplate",
        EncryptionDemand(keys=("blockDeviceMappings[].ebs.kmsKeyId",), flags=("blockDeviceMappings[].ebs.encrypted",)),
    ),
    (
        "aws:ec2/instance:Instance",
        EncryptionDemand(keys=("rootBlockDevice.kmsKeyId",), flags=("rootBlockDevice.encrypted",)),
    ),
    (
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        EncryptionDemand(
            keys=("spec.blockDeviceMappings[].ebs.kmsKeyID",), flags=("spec.blockDeviceMappings[].ebs.encrypted",)
        ),
    ),
    ("aws:ebs/volume:Volume", EncryptionDemand(keys=("kmsKeyId",), flags=("encrypted",))),
    ("aws:efs/fileSystem:FileSystem", EncryptionDemand(keys=("kmsKeyId",), flags=("encrypted",))),
    ("aws:fsx/lustreFileSystem:LustreFileSystem", EncryptionDemand(keys=("kmsKeyId",))),
    ("aws:rds/instance:Instance", EncryptionDemand(keys=("kmsKeyId",), flags=("storageEncrypted",))),
    ("aws:rds/cluster:Cluster", EncryptionDemand(keys=("kmsKeyId",), flags=("storageEncrypted",))),
    ("aws:eks/cluster:Cluster", EncryptionDemand(keys=("encryptionConfig.provider.keyArn",))),
    ("aws:cloudwatch/logGroup:LogGroup", EncryptionDemand(keys=("kmsKeyId",))),
    ("aws:cloudtrail/trail:Trail", EncryptionDemand(keys=("kmsKeyId",))),
    ("aws:sqs/queue:Queue", EncryptionDemand(keys=("kmsMasterKeyId",))),
    ("aws:sns/topic:Topic", EncryptionDemand(keys=("kmsMasterKeyId",))),
    ("aws:secretsmanager/secret:Secret", EncryptionDemand(keys=("kmsKeyId",))),
    ("aws:ssm/parameter:Parameter", EncryptionDemand(keys=("keyId",), where=("type", "SecureString"))),
    (BUCKET_KEY, EncryptionDemand(keys=("rules[].applyServerSideEncryptionByDefault.kmsMasterKeyId",))),
    (
        CLASS,
        EncryptionDemand(
            keys=("parameters.kmsKeyId",), flags=("parameters.encrypted",), where=("provisioner", "ebs.csi.aws.com")
        ),
    ),
    (
        CLASS,
        EncryptionDemand(keys=("parameters.disk-encryption-kms-key",), where=("provisioner", "pd.csi.storage.gke.io")),
    ),
    ("gcp:storage/bucket:Bucket", EncryptionDemand(keys=("encryption.defaultKmsKeyName",))),
    (
        "gcp:container/cluster:Cluster",
        EncryptionDemand(
            keys=("databaseEncryption.keyName", "nodeConfig.bootDiskKmsKey"),
            texts=(("databaseEncryption.state", "ENCRYPTED"),),
        ),
    ),
    ("gcp:container/nodePool:NodePool", EncryptionDemand(keys=("nodeConfig.bootDiskKmsKey",))),
    ("gcp:compute/instance:Instance", EncryptionDemand(keys=("bootDisk.kmsKeySelfLink",))),
    ("gcp:compute/disk:Disk", EncryptionDemand(keys=("diskEncryptionKey.kmsKeySelfLink",))),
    ("gcp:lustre/instance:Instance", EncryptionDemand(keys=("kmsKey",))),
    ("gcp:logging/projectBucketConfig:ProjectBucketConfig", EncryptionDemand(keys=("cmekSettings.kmsKeyName",))),
    (
        "gcp:secretmanager/secret:Secret",
        EncryptionDemand(keys=("replication.userManaged.replicas[].customerManagedEncryption.kmsKeyName",)),
    ),
    ("gcp:sql/databaseInstance:DatabaseInstance", EncryptionDemand(keys=("encryptionKeyName",))),
)


def _breaches(subject: StackContext) -> Iterator[Breach]:
    for token, locked in DEMANDS:

        def check(resource: Resource, inputs: Properties, locked: EncryptionDemand = locked) -> Iterator[Breach]:
            if locked.where is None or inputs.at(locked.where[0]).text("") == locked.where[1]:
                yield from _flags(resource, inputs, locked)
                yield from _check_keys(subject, resource, inputs, locked)

        yield from check_resources(subject.of_types((token,)), check, limit=LIMIT)
    for bucket in subject.of_types((BUCKET,)):
        if not settings_of(subject, bucket, BUCKET_KEY):
            yield _no_key(bucket, "")
    yield from check_resources(subject.of_types((BUCKET_KEY,)), _algorithm, limit=LIMIT)
    yield from check_resources(subject.of_types(("aws:eks/cluster:Cluster",)), _secrets, limit=LIMIT)
    yield from check_resources(subject.of_types(LISTENERS), _listener, limit=TLS)
    yield from check_resources(subject.of_types(("gcp:sql/databaseInstance:DatabaseInstance",)), _sql, limit=TLS)


def _flags(resource: Resource, inputs: Properties, locked: EncryptionDemand) -> Iterator[Breach]:
    for path in locked.flags:
        for at in walk(inputs, path):
            if not at.flag(default=False):
                yield over(resource, at.path, given="it is not encrypted", limit=LIMIT, fix=f"Set {at.path} to true")
    for path, wanted in locked.texts:
        for at in walk(inputs, path):
            if at.text("") != wanted:
                fix = f"Set {at.path} to {wanted}"
                yield over(resource, at.path, given="it is not encrypted with the customer's key", limit=LIMIT, fix=fix)


def _check_keys(
    subject: StackContext, resource: Resource, inputs: Properties, locked: EncryptionDemand
) -> Iterator[Breach]:
    for path in locked.keys:
        found = walk(inputs, path)
        if not found:
            yield _no_key(resource, path)
        for at in found:
            if not at.said:
                yield _no_key(resource, at.path)
            elif not _is_stack_key(subject, resource, at) and not _is_named_key(subject, at.text()):
                yield over(
                    resource,
                    at.path,
                    given="its key is neither one of this stack nor the full name of another",
                    limit=LIMIT,
                    fix=f"Set {at.path} to the stack's key, or to the full name of another key of the customer",
                )


def _no_key(resource: Resource, path: str) -> Breach:
    given = "no key is named, so the cloud's own key or none is used"
    return over(resource, path, given=given, limit=LIMIT, fix="Name the stack's key")


def _is_stack_key(subject: StackContext, resource: Resource, at: Properties) -> bool:
    """Whether an unknown value comes from a registered key."""
    top = at.path.partition(".")[0].partition("[")[0]
    return any(each.type in KEYS for each in origins(subject, resource, at.value, name=top))


def _is_named_key(subject: StackContext, name: str) -> bool:
    """Whether it is the full name of a key, or an alias that the stack gives to its own key."""
    if name.startswith(OWN_ALIAS):
        return False
    return EXPLICIT.fullmatch(name) is not None or any(
        alias.inputs.get("name") == name and _leads_to_key(subject, alias) for alias in subject.of_types((ALIAS,))
    )


def _leads_to_key(subject: StackContext, alias: Resource) -> bool:
    target = alias.inputs.get("targetKeyId")
    return any(each.type in KEYS for each in sources(subject, alias, target, name="targetKeyId"))


def _algorithm(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    for at in walk(inputs, "rules[].applyServerSideEncryptionByDefault.sseAlgorithm"):
        if at.text("") not in ("aws:kms", "aws:kms:dsse"):
            fix = f"Set {at.path} to aws:kms"
            yield over(resource, at.path, given="it is encrypted with a key of AWS", limit=LIMIT, fix=fix)


def _secrets(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    at = inputs.at("encryptionConfig").at("resources")
    if "secrets" not in [one.text() for one in at.each()]:
        given = "secrets of the cluster are not encrypted with its key"
        yield over(resource, at.path, given=given, limit=LIMIT, fix="Add secrets to encryptionConfig.resources")


def _listener(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    if inputs.at("protocol").text("") in ENCRYPTED:
        return
    actions = inputs.at("defaultActions").each()
    if not actions or not all(at.at("redirect").at("protocol").text("") in ENCRYPTED for at in actions):
        yield over(resource, "protocol", given="it listens without TLS", limit=TLS, fix="Set protocol to HTTPS or TLS")


def _sql(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    at = inputs.at("settings").at("ipConfiguration").at("sslMode")
    if at.text("") not in ("ENCRYPTED_ONLY", "TRUSTED_CLIENT_CERTIFICATE_REQUIRED"):
        yield over(
            resource,
            at.path,
            given="it accepts connections without TLS",
            limit=TLS,
            fix="Set sslMode to ENCRYPTED_ONLY",
        )


RULE: Final = Rule(
    name="encryption",
    title="Encryption",
    demand="Disks, buckets, file systems, secrets, queues and logs are encrypted with the customer's key.",
    why="A stolen disk or copy is unreadable, and the customer can revoke access to all data with one key.",
    remedy="Name the key that the stack creates, or the full name of another key of the customer.",
    severity=Severity.CRITICAL,
    judge=_breaches,
)
