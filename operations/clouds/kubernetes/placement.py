"""What a cluster says about itself: its nodes before anything is built, and what of ours is left in it after."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from kubernetes.utils import quantity

from catalogs.model import Item
from components.context.hardware import DEVICES, NVIDIA
from operations.clouds.kubernetes.client import ClusterWords, open_cluster
from operations.clouds.kubernetes.objects import (
    ClusterError,
    kubeconfig_source,
    labels_of,
    name_of,
    namespace_of,
    value_at,
)
from operations.clouds.registry import Search
from planning.cloud_checks.cloud_reports import CLOUD, CloudReport, OfferReport, QuotaReport, UnknownFact
from planning.cloud_checks.orphans import Orphan, Use
from planning.cloud_checks.quotas import nodes_code
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from operations.clouds.kubernetes.client import KubernetesClient
    from operations.clouds.registry import Asked

OURS: Final = "app.kubernetes.io/managed-by=atoll"
RESOURCES: Final = frozenset({NVIDIA, *(name for _, name in DEVICES)})
GB: Final = Decimal(1000**3)
KEPT: Final = "data: its volume is retained when its claim is deleted"
NOT_ASKED: Final[Mapping[str, tuple[str, str]]] = {
    "coreweave": ("VPC, cluster and node pools", "Atoll does not ask the CoreWeave API: look at its console"),
}


def read_capacity(asked: Asked) -> CloudReport:
    """How many nodes of each size there are; a cluster knows no quota and no reservation."""
    try:
        nodes = open_cluster(kubeconfig_source(asked.spec), ClusterWords()).list_objects("/api/v1/nodes")
    except ClusterError as error:
        return CloudReport(silence=str(error))
    return from_counts(node_counts(nodes), asked)


def node_counts(nodes: Iterable[Mapping[str, object]]) -> Counter[int]:
    """Ready nodes by how many accelerators each has."""
    return Counter(_accelerators(node) for node in nodes if _ready(node))


def _ready(node: Mapping[str, object]) -> bool:
    conditions = to_mappings(value_at(node, ("status", "conditions")))
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def _accelerators(node: Mapping[str, object]) -> int:
    allocatable = to_mapping(value_at(node, ("status", "allocatable")))
    return sum(int(str(amount)) for name, amount in allocatable.items() if name in RESOURCES)


def from_counts(counted: Mapping[int, int], asked: Asked) -> CloudReport:
    """What node counts say about every pool."""
    spec = asked.spec
    grows = spec.profile.autoscaler != "none"
    quotas = {
        nodes_code(pool.accelerators): QuotaReport(limit=counted.get(pool.accelerators, 0), used=0, grows=grows)
        for pool in spec.pools
    }
    return CloudReport(
        quotas=quotas,
        offers={pool.machine: _offer(counted.get(pool.accelerators, 0), grows=grows) for pool in spec.pools},
        reservations={id_: UnknownFact("a cluster knows no reservations") for id_ in asked.reservations.values()},
    )


def _offer(count: int, *, grows: bool) -> OfferReport | UnknownFact:
    if not count and grows:
        return UnknownFact("no such node is there now; its autoscaler may add some")
    reason = "" if count else "the cluster has no such node"
    return OfferReport(zones=(), offered=count > 0, efa_interfaces=None, source=CLOUD, reason=reason)


def search(asked: Asked) -> Search:
    """Volumes, claims, load balancers and namespaces of ours that the cluster still has."""
    silent = NOT_ASKED.get(asked.spec.placement.target)
    unanswered = [asked.build_unanswered(*silent)] if silent else []
    try:
        cluster = open_cluster(kubeconfig_source(asked.spec), ClusterWords())
        found = tuple(_find_orphans(cluster, asked))
    except ClusterError as error:
        return Search((), (*unanswered, asked.build_unanswered("Kubernetes", str(error))))
    return Search(found, tuple(unanswered))


def _find_orphans(cluster: KubernetesClient, asked: Asked) -> Iterator[Orphan]:
    spaces = cluster.list_objects("/api/v1/namespaces", labelSelector=OURS)
    names = {name_of(each) for each in spaces}
    yield from namespaces(spaces, asked)
    yield from balancers(cluster.list_objects("/api/v1/services"), asked, spaces=names)
    yield from claims(cluster.list_objects("/api/v1/persistentvolumeclaims", labelSelector=OURS), asked)
    yield from volumes(cluster.list_objects("/api/v1/persistentvolumes"), asked, spaces=names)


def namespaces(found: Iterable[Mapping[str, object]], asked: Asked) -> Iterator[Orphan]:
    """Namespaces of ours; they cost nothing."""
    for each in found:
        yield asked.build_orphan(kind="namespace", id_=_id(each), free="costs nothing by itself")


def balancers(found: Iterable[Mapping[str, object]], asked: Asked, *, spaces: Collection[str]) -> Iterator[Orphan]:
    """Services of type LoadBalancer in our namespaces, or with our label: each has a load balancer of its cloud."""
    for each in found:
        balancer = value_at(each, ("spec", "type")) == "LoadBalancer"
        if balancer and (_has_label(each) or namespace_of(each) in spaces):
            uses = (Use(item=Item.LOAD_BALANCER),)
            yield asked.build_orphan(kind="Service of type LoadBalancer", id_=_id(each), uses=uses)


def claims(found: Iterable[Mapping[str, object]], asked: Asked) -> Iterator[Orphan]:
    """Claims of ours; what they cost is their volume's."""
    for each in found:
        yield asked.build_orphan(
            kind="PersistentVolumeClaim", id_=_id(each), free="its volume is what costs", status=_phase(each)
        )


def volumes(found: Iterable[Mapping[str, object]], asked: Asked, *, spaces: Collection[str]) -> Iterator[Orphan]:
    """Volumes with our label or bound to a claim in a namespace of ours; a retained one is kept on purpose."""
    parse = cast("Callable[[str], Decimal]", quantity.parse_quantity)  # pyright: ignore[reportUnknownMemberType]
    for each in found:
        if not _has_label(each) and value_at(each, ("spec", "claimRef", "namespace")) not in spaces:
            continue
        size = parse(str(value_at(each, ("spec", "capacity", "storage")) or "0")) / GB
        kept = KEPT if value_at(each, ("spec", "persistentVolumeReclaimPolicy")) == "Retain" else ""
        uses = (Use(item=Item.DISK, quantity=size),)
        words = f"volume of {size:.0f} GB"
        yield asked.build_orphan(kind=words, id_=_id(each), uses=uses, status=_phase(each), kept=kept)


def _phase(document: Mapping[str, object]) -> str:
    return str(value_at(document, ("status", "phase")) or "").lower()


def _has_label(document: Mapping[str, object]) -> bool:
    key, _, value = OURS.partition("=")
    return labels_of(document).get(key) == value


def _id(document: Mapping[str, object]) -> str:
    return "/".join(part for part in (namespace_of(document), name_of(document)) if part)
