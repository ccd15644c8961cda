"""Which registered resources hold state, and which thing of the inventory each of them is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from planning.relocation.inventory.assets import AssetKind, AssetSource, AssetTreatment, Loss, StatefulAsset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.costs.resources.resource import Resource, Value

Namer: TypeAlias = "Callable[[Resource], StatefulAsset | str | None]"

PLATFORM_BUCKET: Final = "platform"
AUDIT: Final = "audit"
# CloudNativePG cluster, as namespace/name, to the thing it is.
POSTGRES: Final[Mapping[str, str]] = {
    "mlflow/mlflow-database": "database/mlflow",
    "airflow/airflow-database": "database/airflow",
}


def keys_of(resource: Resource) -> Iterator[StatefulAsset | None]:
    """The thing that a resource is; None where it holds state and no row knows it; nothing where it holds none."""
    namer = _STATEFUL.get(resource.type)
    if namer is None:
        return
    named = namer(resource)
    if named == "":
        return
    yield _bare(named) if isinstance(named, str) else named


def _bare(key: str) -> StatefulAsset:
    """A thing of which the lock knows more; where it does not, it is moved, for nobody can say that it need not be."""
    return StatefulAsset(
        key=key,
        title=key,
        kind=_KINDS[key.partition("/")[0]],
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="the program makes it and the lock does not tell what it is for",
        seen=(AssetSource.PLAN,),
    )


_KINDS: Final[Mapping[str, AssetKind]] = {
    "bucket": AssetKind.BUCKET,
    "database": AssetKind.POSTGRESQL,
    "file-system": AssetKind.FILE_SYSTEM,
    "volumes": AssetKind.VOLUME,
    "secrets": AssetKind.SECRETS,
    "key": AssetKind.KEY,
    "names": AssetKind.NAMES,
    "registry": AssetKind.REGISTRY,
}


def _bucket(resource: Resource) -> StatefulAsset | str:
    if resource.name == PLATFORM_BUCKET:
        return StatefulAsset(
            key="bucket/platform",
            title="the platform's bucket: backups, and old objects of the store in the cluster",
            kind=AssetKind.BUCKET,
            loss=Loss.RECREATABLE,
            treatment=AssetTreatment.STAYS,
            reason="the target backs itself up; old objects of the store are read through the store",
            seen=(AssetSource.PLAN,),
        )
    if resource.name == AUDIT:
        return StatefulAsset(
            key="bucket/audit",
            title="records of the cloud's audit trail",
            kind=AssetKind.BUCKET,
            loss=Loss.IRREPLACEABLE,
            treatment=AssetTreatment.STAYS,
            reason="evidence of what was done at the source: it stays there, whatever is deleted around it",
            seen=(AssetSource.PLAN,),
        )
    return f"bucket/{resource.name}"


def _file_system(resource: Resource) -> str:
    """Its component is named after its tier: "tier-warm"."""
    owner = (resource.parent or "").rpartition("::")[2]
    return f"file-system/{owner.removeprefix('tier-') or resource.name}"


def _postgres(resource: Resource) -> str:
    namespace, name = _metadata(resource)
    return POSTGRES.get(f"{namespace}/{name}", f"database/{namespace}/{name}")


def _claim(resource: Resource) -> str:
    """A claim of a volume that is named is another view of a file system or bucket; others are volumes."""
    if _of(resource.inputs.get("spec"), "volumeName"):
        return ""
    namespace, name = _metadata(resource)
    return f"volumes/{namespace}/{name}"


def _logs(resource: Resource) -> StatefulAsset:
    name = resource.inputs.get("name")
    return StatefulAsset(
        key=f"logs/{resource.name}",
        title=f"logs of the cloud: {resource.name.replace('-', ' ')}",
        kind=AssetKind.LOGS,
        loss=Loss.RECREATABLE,
        treatment=AssetTreatment.STAYS,
        reason="the source keeps them until their retention ends",
        locator=name if isinstance(name, str) else "",
        seen=(AssetSource.PLAN,),
    )


def _metadata(resource: Resource) -> tuple[str, str]:
    found = resource.inputs.get("metadata")
    return _of(found, "namespace"), _of(found, "name") or resource.name


def _of(value: Value, key: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _platform_secret(_: Resource) -> str:
    return "secrets/platform"


def _data_key(_: Resource) -> str:
    return "key/data"


def _strange(_: Resource) -> None:
    return None


# Type to what names its thing; a type that is not here holds no state (held against every example by test).
_STATEFUL: Final[Mapping[str, Namer]] = {
    "aws:s3/bucket:Bucket": _bucket,
    "aws:s3/bucketV2:BucketV2": _bucket,
    "gcp:storage/bucket:Bucket": _bucket,
    "coreweave:index/objectStorageBucket:ObjectStorageBucket": _bucket,
    "aws:fsx/lustreFileSystem:LustreFileSystem": _file_system,
    "gcp:lustre/instance:Instance": _file_system,
    "gcp:filestore/instance:Instance": _file_system,
    "aws:efs/fileSystem:FileSystem": _file_system,
    "kubernetes:postgresql.cnpg.io/v1:Cluster": _postgres,
    "kubernetes:core/v1:PersistentVolumeClaim": _claim,
    "aws:kms/key:Key": _data_key,
    "gcp:kms/cryptoKey:CryptoKey": _data_key,
    "aws:ssm/parameter:Parameter": _platform_secret,
    "gcp:secretmanager/secret:Secret": _platform_secret,
    "kubernetes:core/v1:Secret": _platform_secret,
    "aws:cloudwatch/logGroup:LogGroup": _logs,
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": _logs,
    # Nothing of ours makes these; a program that was changed may.
    "aws:rds/instance:Instance": _strange,
    "aws:rds/cluster:Cluster": _strange,
    "gcp:sql/databaseInstance:DatabaseInstance": _strange,
    "aws:ecr/repository:Repository": _strange,
    "gcp:artifactregistry/repository:Repository": _strange,
    "aws:ebs/volume:Volume": _strange,
    "gcp:compute/disk:Disk": _strange,
    "aws:dynamodb/table:Table": _strange,
    "aws:route53/zone:Zone": _strange,
    "gcp:dns/managedZone:ManagedZone": _strange,
}
STATEFUL_TYPES: Final = frozenset(_STATEFUL)
