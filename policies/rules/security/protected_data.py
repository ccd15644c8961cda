"""Resources whose deletion loses data are protected, kept and versioned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pydantic import Field

from planning.costs.resources.resource import UnreadableError
from policies.properties import check_resources, over
from policies.rule import Rule, Severity
from policies.rules.security.resource_origins import settings_of
from policies.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Properties, Resource
    from policies.rule import Breach
    from policies.stack_context import StackContext

AWS_BUCKET: Final = "aws:s3/bucket:Bucket"
GCP_BUCKET: Final = "gcp:storage/bucket:Bucket"
COREWEAVE_BUCKET: Final = "coreweave:index/objectStorageBucket:ObjectStorageBucket"
AWS_KEY: Final = "aws:kms/key:Key"
GCP_KEY: Final = "gcp:kms/cryptoKey:CryptoKey"
DATABASES: Final = ("aws:rds/instance:Instance", "aws:rds/cluster:Cluster", "gcp:sql/databaseInstance:DatabaseInstance")
PROTECTED: Final = (
    AWS_BUCKET,
    "aws:s3/bucketV2:BucketV2",
    GCP_BUCKET,
    COREWEAVE_BUCKET,
    AWS_KEY,
    GCP_KEY,
    "gcp:kms/keyRing:KeyRing",
    "aws:efs/fileSystem:FileSystem",
    "aws:fsx/lustreFileSystem:LustreFileSystem",
    "aws:ebs/volume:Volume",
    "aws:dynamodb/table:Table",
    "gcp:filestore/instance:Instance",
    "gcp:lustre/instance:Instance",
    "gcp:compute/disk:Disk",
    *DATABASES,
)
VERSIONING: Final = {
    AWS_BUCKET: "aws:s3/bucketVersioning:BucketVersioning",
    COREWEAVE_BUCKET: "coreweave:index/objectStorageBucketVersioning:ObjectStorageBucketVersioning",
}
DATABASE: Final = "kubernetes:postgresql.cnpg.io/v1:Cluster"
CLAIM: Final = "kubernetes:core/v1:PersistentVolumeClaim"
NAMESPACE: Final = "kubernetes:core/v1:Namespace"
VOLUME: Final = "kubernetes:core/v1:PersistentVolume"
CLASS: Final = "kubernetes:storage.k8s.io/v1:StorageClass"
PEOPLE: Final = ("app.kubernetes.io/part-of", "kubeflow-profile")  # label of namespaces in which users have volumes
OWN_DISKS: Final = "atoll-hot"  # the nodes' own disks, which are lost with the node whatever the class says
DAY_S: Final = 24 * 3600
DEFAULT_DAYS: Final = 30  # both clouds' own: registry pages of aws_kms_key and google_kms_crypto_key, 2026-11-21
LIMIT: Final = "resources that hold data are protected and kept"
VERSIONED: Final = "buckets keep old versions and are deleted only when empty"


class ProtectedDataSettings(Settings):
    key_deletion_days: int = Field(default=30, ge=7, le=30)
    """Least number of days for which a deleted key can be restored."""
    namespaces: tuple[str, ...] = ("mlflow", "airflow", "object-store")
    """Namespaces whose deletion deletes data."""
    namespace_prefixes: tuple[str, ...] = ("atoll-storage-",)
    """Prefixes of other such namespaces."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    for resource in subject.of_types(PROTECTED):
        if not resource.protect:
            yield _report_missing_option(resource, "protect")
        if subject.tells_retention and not resource.retain_on_delete:
            yield _report_missing_option(resource, "retain_on_delete")
    yield from _buckets(subject)
    yield from _keys(subject)
    yield from check_resources(subject.of_types(DATABASES), _database, limit=LIMIT)
    yield from check_resources(subject.of_types((VOLUME, CLASS)), _check_reclaim_policy, limit=LIMIT)
    if subject.tells_retention:
        yield from _inside(subject)


def _report_missing_option(resource: Resource, option: str) -> Breach:
    return over(
        resource,
        "",
        given=f"it is registered without {option}",
        limit=LIMIT,
        fix=f"Give it the option {option}=True",
    )


def _buckets(subject: StackContext) -> Iterator[Breach]:
    def check_bucket(bucket: Resource, inputs: Properties) -> Iterator[Breach]:
        yield from _check_force_destroy(bucket, inputs)
        yield from _check_versioning_resource(subject, bucket)

    yield from check_resources(subject.of_types(VERSIONING), check_bucket, limit=VERSIONED)
    yield from check_resources(subject.of_types((GCP_BUCKET,)), _check_inline_versioning, limit=VERSIONED)


def _check_force_destroy(bucket: Resource, inputs: Properties) -> Iterator[Breach]:
    if inputs.at("forceDestroy").flag(default=False):
        yield over(
            bucket,
            "forceDestroy",
            given="a destroy empties it before deleting it",
            limit=VERSIONED,
            fix="Set forceDestroy to false",
        )


def _check_versioning_resource(subject: StackContext, bucket: Resource) -> Iterator[Breach]:
    def check_status(setting: Resource, inputs: Properties) -> Iterator[Breach]:
        if inputs.at("versioningConfiguration").at("status").text("") != "Enabled":
            yield _report_unversioned(setting, "versioningConfiguration.status")

    found = settings_of(subject, bucket, VERSIONING[bucket.type])
    if not found:
        yield _report_unversioned(bucket, "")
    yield from check_resources(found, check_status, limit=VERSIONED)


def _check_inline_versioning(bucket: Resource, inputs: Properties) -> Iterator[Breach]:
    yield from _check_force_destroy(bucket, inputs)
    if not inputs.at("versioning").at("enabled").flag(default=False):
        yield _report_unversioned(bucket, "versioning.enabled")


def _report_unversioned(resource: Resource, path: str) -> Breach:
    return over(
        resource, path, given="it keeps no old versions", limit=VERSIONED, fix="Enable versioning of the bucket"
    )


def _keys(subject: StackContext) -> Iterator[Breach]:
    least = subject.law.get(ProtectedDataSettings).key_deletion_days
    limit = f"a deleted key can be restored for {least} days"

    def short(resource: Resource, path: str, days: float) -> Iterator[Breach]:
        if days < least:
            yield over(resource, path, given=f"{days:g} days", limit=limit, fix=f"Set {path} to {least} days")

    def aws(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        days = inputs.at("deletionWindowInDays").number(DEFAULT_DAYS)
        yield from short(resource, "deletionWindowInDays", float(days))

    def gcp(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        at = inputs.at("destroyScheduledDuration")
        said = at.text(f"{DEFAULT_DAYS * DAY_S}s")
        if not re.fullmatch(r"\d{1,9}s", said):
            raise UnreadableError(f"{at.path} is no number of seconds", path=at.path)
        yield from short(resource, at.path, int(said[:-1]) / DAY_S)

    yield from check_resources(subject.of_types((AWS_KEY,)), aws, limit=limit)
    yield from check_resources(subject.of_types((GCP_KEY,)), gcp, limit=limit)


def _database(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    if not inputs.at("deletionProtection").flag(default=resource.type.startswith("gcp:")):
        yield over(
            resource,
            "deletionProtection",
            given="it has no deletion protection",
            limit=LIMIT,
            fix="Set deletionProtection to true",
        )


def _check_reclaim_policy(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    # Kubernetes' defaults: a class deletes its volumes with their claims, a volume created by name is retained.
    spec = inputs.at("spec").at("persistentVolumeReclaimPolicy")
    at, default = (spec, "Retain") if resource.type == VOLUME else (inputs.at("reclaimPolicy"), "Delete")
    if at.text(default) != "Retain" and inputs.at("metadata").at("name").text("") != OWN_DISKS:
        yield over(
            resource,
            at.path,
            given="a volume is deleted with its claim",
            limit=LIMIT,
            fix=f"Set {at.path} to Retain",
        )


def _inside(subject: StackContext) -> Iterator[Breach]:
    """Inside a cluster data is retained but not protected: docs/decisions/0018."""
    settings = subject.law.get(ProtectedDataSettings)

    def namespace(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        named = inputs.at("metadata")
        name, people = named.at("name").text(), named.at("labels").at(PEOPLE[0]).text("") == PEOPLE[1]
        if people or name in settings.namespaces or name.startswith(settings.namespace_prefixes):
            yield _report_missing_option(resource, "retain_on_delete")

    def claim(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        if not inputs.at("spec").at("volumeName").text(""):  # else a volume of its own name, which is kept
            yield _report_missing_option(resource, "retain_on_delete")

    def database(resource: Resource, _inputs: Properties) -> Iterator[Breach]:
        yield _report_missing_option(resource, "retain_on_delete")

    for token, check in ((NAMESPACE, namespace), (CLAIM, claim), (DATABASE, database)):
        lost = [resource for resource in subject.of_types((token,)) if not resource.retain_on_delete]
        yield from check_resources(lost, check, limit=LIMIT)


RULE: Final = Rule(
    name="protected-data",
    title="Protected data",
    demand="Buckets, databases, volumes, file systems and keys are protected, kept on deletion and versioned.",
    why="A mistaken deletion destroys neither data nor the key to it.",
    remedy="Set protect and retain_on_delete, enable versioning, and keep deleted keys restorable for 30 days.",
    severity=Severity.CRITICAL,
    judge=_breaches,
    settings=ProtectedDataSettings,
)
