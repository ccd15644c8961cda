"""Which registered resources hold state, and which thing of the inventory each of them is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from planning.relocation.inventory.assets import AssetKind, AssetSource, AssetTreatment, Loss, StatefulAsset
from planning.relocation.inventory.state_classes import ASSETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.costs.resources.resource import Resource, Value

Namer: TypeAlias = "Callable[[Resource], StatefulAsset | str]"

# CloudNativePG cluster, as namespace/name, to the thing it is.
POSTGRES: Final[Mapping[str, str]] = {
    "mlflow/mlflow-database": "database/mlflow",
    "airflow/airflow-database": "database/airflow",
}


def keys_of(resource: Resource) -> Iterator[StatefulAsset | None]:
    """The thing that a resource is; None where it holds state and no row knows it; nothing where it holds none."""
    if resource.type in _STRANGE:
        yield None
    elif named := _STATEFUL[resource.type](resource) if resource.type in _STATEFUL else "":
        yield _bare(named) if isinstance(named, str) else named


def _bare(key: str) -> StatefulAsset:
    """An asset without details; where the lock has none either, it is moved, to be safe."""
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
    known = ASSETS.get(f"bucket/{resource.name}")  # of the platform, and of the audit trail
    return known.build_asset(seen=AssetSource.PLAN) if known else f"bucket/{resource.name}"


def _file_system(resource: Resource) -> str:
    """Key of a file system: that of its tier."""
    # Its component is named after its tier: "tier-warm".
    owner = (resource.parent or "").rpartition("::")[2]
    return f"file-system/{owner.removeprefix('tier-') or resource.name}"


def _postgres(resource: Resource) -> str:
    namespace, name = _metadata(resource)
    return POSTGRES.get(f"{namespace}/{name}", f"database/{namespace}/{name}")


def _claim(resource: Resource) -> str:
    """Key of a claim; "" for one of a volume that is named."""
    # A named volume is another view of a file system or bucket, which is in the inventory itself.
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
    "aws:kms/key:Key": lambda _: "key/data",
    "gcp:kms/cryptoKey:CryptoKey": lambda _: "key/data",
    "aws:ssm/parameter:Parameter": lambda _: "secrets/platform",
    "gcp:secretmanager/secret:Secret": lambda _: "secrets/platform",
    "kubernetes:core/v1:Secret": lambda _: "secrets/platform",
    "aws:cloudwatch/logGroup:LogGroup": _logs,
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": _logs,
}
# Types that hold state and that nothing of ours makes; a program that was changed may.
_STRANGE: Final = frozenset(
    {
        "aws:rds/instance:Instance",
        "aws:rds/cluster:Cluster",
        "gcp:sql/databaseInstance:DatabaseInstance",
        "aws:ecr/repository:Repository",
        "gcp:artifactregistry/repository:Repository",
        "aws:ebs/volume:Volume",
        "gcp:compute/disk:Disk",
        "aws:dynamodb/table:Table",
        "aws:route53/zone:Zone",
        "gcp:dns/managedZone:ManagedZone",
    }
)
STATEFUL_TYPES: Final = _STRANGE | _STATEFUL.keys()
