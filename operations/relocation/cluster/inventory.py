"""What a running cluster keeps that no lock knows: volumes, databases, what people made, and names of their secrets."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Protocol, cast, final

from kubernetes.utils import quantity

from components.context.names import WORKLOAD_PREFIX
from operations.clouds.kubernetes import client
from operations.clouds.kubernetes.client import JSON, KubernetesClient
from operations.clouds.kubernetes.objects import (
    KUBECONFIG_VARIABLE,
    ClusterError,
    ResourceKind,
    labels_of,
    name_of,
    namespace_of,
    owners_of,
    value_at,
)
from planning.relocation.inventory import assets as things
from planning.relocation.inventory.assets import AssetSource, AssetTreatment, Loss, StatefulAsset
from planning.relocation.inventory.resource_assets import POSTGRES
from planning.values.json_format import to_mapping, to_mappings
from planning.values.money import ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from operations.relocation.config.endpoints import RelocationSide
    from planning.spec.cluster import ClusterSpec


CLAIMS: Final = ResourceKind(group="", version="v1", plural="persistentvolumeclaims", name="PersistentVolumeClaim")
SECRETS: Final = ResourceKind(group="", version="v1", plural="secrets", name="Secret")
CONFIGS: Final = ResourceKind(group="", version="v1", plural="configmaps", name="ConfigMap")
DEPLOYMENTS: Final = ResourceKind(group="apps", version="v1", plural="deployments", name="Deployment")
STATEFUL: Final = ResourceKind(group="apps", version="v1", plural="statefulsets", name="StatefulSet")
POSTGRES_CLUSTERS: Final = ResourceKind(group="postgresql.cnpg.io", version="v1", plural="clusters", name="Cluster")
# What people make; versions that the tested release serves (catalogs/software/parts.csv).
PEOPLES: Final = (
    ResourceKind(group="kubeflow.org", version="v1", plural="notebooks", name="Notebook"),
    ResourceKind(group="kubeflow.org", version="v1beta1", plural="scheduledworkflows", name="ScheduledWorkflow"),
    ResourceKind(group="kubeflow.org", version="v1beta1", plural="experiments", name="Experiment"),
    ResourceKind(group="serving.kserve.io", version="v1beta1", plural="inferenceservices", name="InferenceService"),
)
SHARED_CLASSES: Final = frozenset(
    {"atoll-shared", "atoll-bucket", "atoll-cold"}
)  # views of a tier (components/tenancy/cluster.py)
OPERATED: Final = "cnpg.io/cluster"  # label of a database's volumes: the database is what is moved
# Databases that parts bring along, as namespace/name; others are somebody's own.
DATABASES: Final[Mapping[str, str]] = {
    "kubeflow/mysql": "database/pipelines",
    "kubeflow/katib-mysql": "database/katib",
    "kubeflow/model-registry-db": "database/model_registry",
    "kubeflow/metadata-postgres-db": "database/model_registry",
}
ANEW: Final = frozenset({"kubeflow/model-catalog-postgres"})  # filled by its part from what it is told to list
ENGINES: Final = {
    "mysql": things.AssetKind.MYSQL,
    "mariadb": things.AssetKind.MYSQL,
    "postgres": things.AssetKind.POSTGRESQL,
}
# Namespaces whose volumes are those of parts, which the lock has already.
PARTS: Final = frozenset({"mlflow", "airflow", "object-store", "observability", "kubeflow", "slurm"})
# Placeholders of the lock that give way to what was really found.
INSTEAD: Final = ("volumes/notebooks",)


class Lister(Protocol):
    def list_objects(self, kind: ResourceKind, *, names_only: bool = False) -> Sequence[Mapping[str, object]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterInventory:
    """Inventory of a cluster.

    Args:
        silence: why it did not answer; "" where it did.
    """

    things: tuple[StatefulAsset, ...] = ()
    silence: str = ""


def read_cluster_inventory(lister: Lister) -> ClusterInventory:
    """The inventory, or why it cannot be read."""
    try:
        return ClusterInventory(things=tuple(_things(lister)))
    except ClusterError as error:
        return ClusterInventory(silence=str(error))


def _things(lister: Lister) -> Iterator[StatefulAsset]:
    databases = list(_postgres(lister.list_objects(POSTGRES_CLUSTERS)))
    databases += _find_deployed_databases([*lister.list_objects(DEPLOYMENTS), *lister.list_objects(STATEFUL)])
    yield from databases
    yield from _outside(lister.list_objects(CONFIGS))
    yield from _claims(lister.list_objects(CLAIMS))
    yield from _count_user_objects(lister)
    yield from _secrets(lister.list_objects(SECRETS, names_only=True))


def _claims(claims: Sequence[Mapping[str, object]]) -> Iterator[StatefulAsset]:
    """Volumes of users."""
    for each in claims:
        namespace, name = namespace_of(each), name_of(each)
        storage = value_at(each, ("spec", "storageClassName"))
        # Volumes of components, databases and tiers are in the inventory by their own names already.
        if namespace in PARTS or OPERATED in labels_of(each) or storage in SHARED_CLASSES:
            continue
        asked = value_at(each, ("status", "capacity", "storage")) or value_at(
            each, ("spec", "resources", "requests", "storage")
        )
        yield StatefulAsset(
            key=f"volumes/{namespace}/{name}",
            title=f"volume {name} of {namespace}",
            kind=things.AssetKind.VOLUME,
            loss=Loss.IRREPLACEABLE,
            treatment=AssetTreatment.MOVED,
            reason="user data, or a volume without a class",
            part="notebooks" if namespace.startswith(WORKLOAD_PREFIX) else "",
            locator=f"{namespace}/{name}",
            bytes=_upto(asked),
            sized_by="the cluster: as much as its volume holds",
            seen=(AssetSource.CLUSTER,),
        )


def _postgres(clusters: Sequence[Mapping[str, object]]) -> Iterator[StatefulAsset]:
    for each in clusters:
        place = f"{namespace_of(each)}/{name_of(each)}"
        yield _database(
            POSTGRES.get(place, f"database/{place}"),
            place,
            things.AssetKind.POSTGRESQL,
            size=_upto(value_at(each, ("spec", "storage", "size"))),
        )


def _find_deployed_databases(workloads: Sequence[Mapping[str, object]]) -> Iterator[StatefulAsset]:
    """Database servers that no operator runs, by their images."""
    for each in workloads:
        place = f"{namespace_of(each)}/{name_of(each)}"
        engine = next(filter(None, map(_engine, _images(each))), None)
        if engine is not None and place not in ANEW and "Cluster" not in owners_of(each):
            yield _database(DATABASES.get(place, f"database/{place}"), place, engine, size=None)


def _images(workload: Mapping[str, object]) -> Iterator[str]:
    for each in to_mappings(value_at(workload, ("spec", "template", "spec", "containers"))):
        yield str(each.get("image") or "")


def _engine(image: str) -> things.AssetKind | None:
    """Engine by the last word of the image's path: "mysql:8.4", not "mysqld-exporter"."""
    name = image.rpartition("/")[2].partition("@")[0].partition(":")[0]
    return ENGINES.get(name.replace("postgresql", "postgres"))


def _outside(configs: Sequence[Mapping[str, object]]) -> Iterator[StatefulAsset]:
    """Pipelines with a database outside the cluster."""
    for each in configs:
        host = to_mapping(each.get("data")).get("dbHost")
        if name_of(each) == "pipeline-install-config" and isinstance(host, str) and host not in {"", "mysql"}:
            yield _database(f"database/outside/{host}", host, things.AssetKind.MYSQL, size=None)


def _database(key: str, place: str, kind: things.AssetKind, *, size: Range | None) -> StatefulAsset:
    return StatefulAsset(
        key=key,
        title=f"database {place}",
        kind=kind,
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="a database that no part of ours brings along",
        locator=place,
        bytes=size,
        sized_by="the cluster: as much as its volume holds" if size else things.NOT_LOOKED,
        seen=(AssetSource.CLUSTER,),
    )


def _count_user_objects(lister: Lister) -> Iterator[StatefulAsset]:
    counted = Counter({kind.name: len(lister.list_objects(kind)) for kind in PEOPLES})
    said = ", ".join(f"{count} {name}" for name, count in counted.items() if count) or "none was found"
    yield StatefulAsset(
        key="objects/people",
        title="what people made in the cluster",
        kind=things.AssetKind.OBJECTS,
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="definitions that no program knows",
        locator=said,
        objects=Range.exactly(counted.total()),
        seen=(AssetSource.CLUSTER,),
    )


def _secrets(secrets: Sequence[Mapping[str, object]]) -> Iterator[StatefulAsset]:
    """Secrets in user namespaces that neither a chart nor a controller made."""
    names = sorted(
        f"{namespace_of(each)}/{name_of(each)}"
        for each in secrets
        if namespace_of(each).startswith(WORKLOAD_PREFIX)
        and not owners_of(each)
        and not labels_of(each).get("app.kubernetes.io/managed-by")
        and not name_of(each).startswith("sh.helm.release.")
    )
    yield StatefulAsset(
        key="secrets/people",
        title="secrets that people made",
        kind=things.AssetKind.SECRETS,
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="tokens and keys of people; their values never pass through Atoll",
        locator=" ".join(names) or "none was found",
        objects=Range.exactly(len(names)),
        seen=(AssetSource.CLUSTER,),
    )


def _upto(asked: object) -> Range | None:
    if not isinstance(asked, str) or not asked:
        return None
    parse = cast("Callable[[str], Decimal]", quantity.parse_quantity)  # pyright: ignore[reportUnknownMemberType]
    return Range(ZERO, Decimal(parse(asked)), Decimal(parse(asked)))


# Only names and labels are asked for, so that no secret's value reaches this machine
# (kubernetes.io/docs/reference/using-api/api-concepts, "Receiving resources as metadata", 2026-11).
NAMES_ONLY: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def query_cluster(spec: ClusterSpec, side: RelocationSide | None) -> ClusterInventory:
    """Inventory of a lock's cluster, by the kubeconfig of its place, of the lock, or ATOLL_KUBECONFIG."""
    existing = spec.existing
    variable = (side.kubeconfig_env if side else None) or (existing.kubeconfig_env if existing else KUBECONFIG_VARIABLE)
    context = (side.context if side else None) or (existing.context if existing else None)
    named = os.environ.get(variable, "")
    if not named:
        return ClusterInventory(silence=f"{variable} is not set, which names its kubeconfig")
    try:
        return read_cluster_inventory(LiveLister(KubernetesClient(client.open_api(named, context=context))))
    except client.NoKubeconfigError:
        return ClusterInventory(silence=f"what {variable} names is no kubeconfig")
    except client.UNUSABLE as error:
        return ClusterInventory(silence=client.reason_of(error))


@final
class LiveLister:
    def __init__(self, cluster: KubernetesClient) -> None:
        self._cluster = cluster

    def list_objects(self, kind: ResourceKind, *, names_only: bool = False) -> Sequence[Mapping[str, object]]:
        return self._cluster.list_objects(kind.path(), optional=True, accept=NAMES_ONLY if names_only else JSON)
