"""What a cluster says about itself: its nodes before anything is built, and what of ours is left in it after."""

from __future__ import annotations

import os
from collections import Counter
from decimal import Decimal
from json import JSONDecodeError
from typing import TYPE_CHECKING, Final, cast

from kubernetes import client
from kubernetes.client.exceptions import ApiException
from kubernetes.config import ConfigException
from kubernetes.utils import quantity
from pydantic import ValidationError
from urllib3.exceptions import HTTPError

from catalogs.model import Item
from components.context.hardware import DEVICES, NVIDIA
from operations.clouds.kubernetes import client as api_server
from operations.clouds.registry import Search
from planning.cloud_checks.cloud_reports import CLOUD, CloudReport, OfferReport, QuotaReport, UnknownFact
from planning.cloud_checks.orphans import Orphan, Unanswered, Use
from planning.cloud_checks.quotas import nodes_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from operations.clouds.registry import Asked

VARIABLE: Final = "ATOLL_KUBECONFIG"  # names the kubeconfig where the lock names no variable
OURS: Final = "app.kubernetes.io/managed-by=atoll"
UNREADABLE: Final = (ValidationError, JSONDecodeError)  # of an answer, as a proxy's page to sign in is one
REFUSED: Final = (*api_server.SILENT, *api_server.UNUSABLE, *UNREADABLE)
WAIT_SECONDS: Final = (5, 20)
RESOURCES: Final = frozenset({NVIDIA, *(name for _, name in DEVICES)})
GB: Final = Decimal(1000**3)
KEPT: Final = "data: its volume is retained when its claim is deleted"
NOT_ASKED: Final[Mapping[str, tuple[str, str]]] = {
    "coreweave": ("VPC, cluster and node pools", "Atoll does not ask the CoreWeave API: look at its console"),
}


def read_capacity(asked: Asked) -> CloudReport:
    """How many nodes of each size there are; a cluster knows no quota and no reservation."""
    try:
        counted = node_counts(_api(asked).list_node(_request_timeout=WAIT_SECONDS).items)
    except REFUSED as error:
        return CloudReport(silence=_refusal(error))
    return from_counts(counted, asked)


def node_counts(nodes: Iterable[client.V1Node]) -> Counter[int]:
    """Ready nodes by how many accelerators each has."""
    return Counter(_accelerators(node) for node in nodes if _ready(node))


def _ready(node: client.V1Node) -> bool:
    conditions = (node.status.conditions if node.status else None) or []
    return any(each.type == "Ready" and each.status == "True" for each in conditions)


def _accelerators(node: client.V1Node) -> int:
    allocatable: Mapping[str, str] = (node.status.allocatable if node.status else None) or {}
    return sum(int(amount) for name, amount in allocatable.items() if name in RESOURCES)


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
    place = asked.spec.placement
    silent = NOT_ASKED.get(place.target)
    unanswered = [Unanswered(placement=place.name, what=silent[0], reason=silent[1])] if silent else []
    try:
        found = tuple(_find_orphans(_api(asked), asked))
    except REFUSED as error:
        reason = Unanswered(placement=place.name, what="Kubernetes", reason=_refusal(error))
        return Search((), (*unanswered, reason))
    return Search(found, tuple(unanswered))


def _find_orphans(api: client.CoreV1Api, asked: Asked) -> Iterator[Orphan]:
    wait = WAIT_SECONDS
    spaces = api.list_namespace(label_selector=OURS, _request_timeout=wait).items
    names = {each.metadata.name for each in spaces if each.metadata and each.metadata.name}
    yield from namespaces(spaces, asked)
    yield from balancers(api.list_service_for_all_namespaces(_request_timeout=wait).items, asked, spaces=names)
    claims_ = api.list_persistent_volume_claim_for_all_namespaces(label_selector=OURS, _request_timeout=wait).items
    yield from claims(claims_, asked)
    yield from volumes(api.list_persistent_volume(_request_timeout=wait).items, asked, spaces=names)


def namespaces(found: Iterable[client.V1Namespace], asked: Asked) -> Iterator[Orphan]:
    """Namespaces of ours; they cost nothing."""
    for each in found:
        yield _thing(asked, "namespace", each.metadata, free="costs nothing by itself")


def balancers(found: Iterable[client.V1Service], asked: Asked, *, spaces: Iterable[str]) -> Iterator[Orphan]:
    """Services of type LoadBalancer in our namespaces, or with our label: each has a load balancer of its cloud."""
    ours = frozenset(spaces)
    for each in found:
        balancer = each.spec is not None and each.spec.type == "LoadBalancer"
        if balancer and (_has_label(each.metadata) or (each.metadata and each.metadata.namespace in ours)):
            yield _thing(asked, "Service of type LoadBalancer", each.metadata, uses=(Use(item=Item.LOAD_BALANCER),))


def claims(found: Iterable[client.V1PersistentVolumeClaim], asked: Asked) -> Iterator[Orphan]:
    """Claims of ours; what they cost is their volume's."""
    for each in found:
        status = (each.status.phase if each.status else None) or ""
        yield _thing(asked, "PersistentVolumeClaim", each.metadata, free="its volume is what costs", status=status)


def volumes(found: Iterable[client.V1PersistentVolume], asked: Asked, *, spaces: Iterable[str]) -> Iterator[Orphan]:
    """Volumes with our label or bound to a claim in a namespace of ours; a retained one is kept on purpose."""
    ours = frozenset(spaces)
    for each in found:
        claim = each.spec.claim_ref if each.spec else None
        if not _has_label(each.metadata) and (claim is None or claim.namespace not in ours):
            continue
        capacity: Mapping[str, str] = (each.spec.capacity if each.spec else None) or {}
        size = _bytes(capacity.get("storage", "0")) / GB
        retained = each.spec is not None and each.spec.persistent_volume_reclaim_policy == "Retain"
        status = (each.status.phase if each.status else None) or ""
        uses = (Use(item=Item.DISK, quantity=size),)
        yield _thing(asked, f"volume of {size:.0f} GB", each.metadata, uses=uses, status=status, kept=KEPT * retained)


def _bytes(text: str) -> Decimal:
    parse = cast("Callable[[str], Decimal]", quantity.parse_quantity)  # pyright: ignore[reportUnknownMemberType]
    return parse(text)


def _has_label(meta: client.V1ObjectMeta | None) -> bool:
    key, _, value = OURS.partition("=")
    labels: Mapping[str, str] = (meta.labels if meta else None) or {}
    return labels.get(key) == value


def _thing(
    asked: Asked,
    kind: str,
    meta: client.V1ObjectMeta | None,
    *,
    uses: tuple[Use, ...] = (),
    free: str = "",
    status: str = "",
    kept: str = "",
) -> Orphan:
    place = asked.spec.placement
    parts = (meta.namespace, meta.name) if meta else ()
    return Orphan(
        kind=kind,
        id="/".join(part for part in parts if part),
        provider=place.provider,
        region=place.region,
        placement=place.name,
        status=status.lower(),
        uses=uses,
        free=free,
        kept=kept,
    )


def _api(asked: Asked) -> client.CoreV1Api:
    """The cluster's API.

    Raises:
        ConfigException: no kubeconfig is named, or what is named is none.
    """
    existing = asked.spec.existing
    variable = existing.kubeconfig_env if existing else VARIABLE
    named = os.environ.get(variable, "")
    if not named:
        raise ConfigException(f"{variable} is not set, and it names the kubeconfig of the cluster")
    try:
        return client.CoreV1Api(api_server.open_api(named, context=existing.context if existing else None))
    except api_server.NoKubeconfigError as error:
        raise ConfigException(f"what {variable} names is no kubeconfig") from error


def _refusal(error: Exception) -> str:
    """Why a cluster did not answer, in one line, without its credentials."""
    if isinstance(error, ApiException):
        status, reason = cast("tuple[object, object]", (error.status, error.reason))  # pyright: ignore[reportUnknownMemberType]
        return f"the cluster refused: {status} {reason}"
    if isinstance(error, HTTPError):
        return f"the cluster cannot be reached: {type(error).__name__}"
    if isinstance(error, UNREADABLE):
        return "what answers is no cluster, a page to sign in perhaps: look at the server that the kubeconfig names"
    return api_server.reason_of(error)
