"""What Google Cloud says about one placement: before it is built, and after it is gone."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from catalogs.model import Item
from operations.clouds.gcp.client import REFUSALS, REFUSED, google_of, refusal
from operations.clouds.registry import Search
from planning.cloud_checks.cloud_reports import (
    CLOUD,
    CloudReport,
    OfferReport,
    QuotaReport,
    ReservationReport,
    UnknownFact,
)
from planning.cloud_checks.orphans import Orphan, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from google.cloud import asset_v1, compute_v1

    from operations.clouds.gcp.client import GoogleProject
    from operations.clouds.registry import Asked


LABEL: Final = "atoll-stack"
GKE_LABEL: Final = "goog-k8s-cluster-name"  # what GKE puts on its nodes and on the disks of claims
CREATED_FOR: Final = "kubernetes.io/created-for/pvc"  # what the disks' driver writes of the claim (gcp-pd-csi-driver)
FREE_RULE: Final = "costs nothing by itself"
KEPT_DATA: Final = "data: protected and kept when the stack is destroyed"
KEPT_KEY: Final = "the key to the data that is kept"
STOPPED: Final = frozenset({"TERMINATED", "SUSPENDED", "STOPPING", "STOPPED"})
PRICED_DISKS: Final = frozenset({"pd-balanced"})  # what the catalog's `disk` of Google Cloud is
# Asset types (cloud.google.com/asset-inventory/docs/asset-types): words, and what is paid for each.
PAID: Final[Mapping[str, tuple[str, tuple[Use, ...]]]] = {
    "container.googleapis.com/Cluster": ("GKE cluster", (Use(item=Item.CONTROL_PLANE),)),
    "compute.googleapis.com/Address": ("IP address", (Use(item=Item.PUBLIC_IPV4),)),
    "compute.googleapis.com/ForwardingRule": ("forwarding rule", (Use(item=Item.LOAD_BALANCER),)),
    "compute.googleapis.com/GlobalForwardingRule": ("forwarding rule", (Use(item=Item.LOAD_BALANCER),)),
    "compute.googleapis.com/VpnTunnel": ("VPN tunnel", (Use(item=Item.VPN_CONNECTION),)),
}
KEPT: Final[Mapping[str, tuple[str, str, tuple[Use, ...]]]] = {
    "storage.googleapis.com/Bucket": ("bucket", KEPT_DATA, ()),
    "file.googleapis.com/Instance": ("Filestore instance", KEPT_DATA, ()),
    "lustre.googleapis.com/Instance": ("Managed Lustre instance", KEPT_DATA, ()),
    "cloudkms.googleapis.com/CryptoKey": ("key", KEPT_KEY, (Use(item=Item.ENCRYPTION_KEY, quantity=Decimal(1)),)),
}
FREE: Final[Mapping[str, str]] = {
    "compute.googleapis.com/Network": "network",
    "compute.googleapis.com/Subnetwork": "subnetwork",
    "compute.googleapis.com/Firewall": "firewall rule",
    "pubsub.googleapis.com/Topic": "topic",
    "compute.googleapis.com/InstanceTemplate": "instance template",
    "compute.googleapis.com/InstanceGroupManager": "instance group",
    "container.googleapis.com/NodePool": "node pool",
    "iam.googleapis.com/ServiceAccount": "service account",
}
SEARCHED: Final = frozenset({"compute.googleapis.com/Instance", "compute.googleapis.com/Disk"})
NOT_SIZED: Final = "its size is not asked, so it has no price here"


def marks(asked: Asked) -> tuple[tuple[str, str], ...]:
    """Labels by which a machine or a disk belongs to the stack."""
    return ((LABEL, asked.stack), (GKE_LABEL, asked.cluster))


def machines(found: Iterable[compute_v1.Instance], asked: Asked) -> Iterator[Orphan]:
    """Machines; a stopped one costs nothing but its disks."""
    for each in found:
        machine = each.machine_type.rpartition("/")[2]
        said = cast("object", each.scheduling)  # pyright: ignore[reportUnknownMemberType]
        scheduling = cast("compute_v1.Scheduling", said)
        spot = scheduling.provisioning_model == "SPOT" or scheduling.preemptible
        yield asked.build_orphan(
            kind=f"machine {machine}",
            id_=each.name,
            status=each.status.lower(),
            uses=(Use(item=machine, purchase="spot" if spot else "on_demand"),),
            free="stopped: only its disks cost" if each.status in STOPPED else "",
        )


def disks(found: Iterable[compute_v1.Disk], asked: Asked) -> Iterator[Orphan]:
    """Disks, attached or not."""
    for each in found:
        kind = each.type_.rpartition("/")[2]
        uses = (Use(item=Item.DISK, quantity=Decimal(each.size_gb)),) if kind in PRICED_DISKS else ()
        words = f"disk {kind}, {each.size_gb} GB"
        claim = "" if each.users else _claim(each.description)
        kept = f"data of claim {claim}: kept when the stack is destroyed" if claim else ""
        status = "attached" if each.users else "idle"
        yield asked.build_orphan(kind=words, id_=each.name, status=status, uses=uses, kept=kept)


def _claim(description: str) -> str:
    """Namespace and name of the claim that a disk was made for, which its driver writes as JSON; "" for none."""
    try:
        said = cast("object", json.loads(description or "{}"))
    except (ValueError, RecursionError):
        return ""
    fields = cast("dict[str, object]", said) if isinstance(said, dict) else {}
    parts = [str(fields.get(f"{CREATED_FOR}/{key}", "")) for key in ("namespace", "name")]
    return "/".join(parts) if all(parts) else ""


def routers(found: Iterable[compute_v1.Router], asked: Asked) -> Iterator[Orphan]:
    """Cloud NAT of the routers in the stack's network; a router alone costs nothing."""
    for each in found:
        if _in_network(each.network, asked):
            uses = (Use(item=Item.NAT_GATEWAY),) if each.nats else ()
            free = "" if uses else FREE_RULE
            yield asked.build_orphan(kind="Cloud NAT" if uses else "router", id_=each.name, uses=uses, free=free)


def forwarding_rules(found: Iterable[compute_v1.ForwardingRule], asked: Asked) -> Iterator[Orphan]:
    """Forwarding rules in the stack's network, as GKE makes them for services."""
    for each in found:
        if _in_network(each.network, asked):
            words, uses = PAID["compute.googleapis.com/ForwardingRule"]
            yield asked.build_orphan(kind=words, id_=each.name, uses=uses)


def _in_network(url: str, asked: Asked) -> bool:
    """Whether a network is the stack's own, which is named as its cluster is."""
    return url.rpartition("/")[2] == asked.cluster


def assets(found: Iterable[asset_v1.ResourceSearchResult], asked: Asked) -> Iterator[Orphan]:
    """Everything else that carries the stack's label."""
    for each in found:
        if each.asset_type not in SEARCHED:
            yield _asset(each, asked)


def _asset(each: asset_v1.ResourceSearchResult, asked: Asked) -> Orphan:
    id_ = each.display_name or each.name.rpartition("/")[2]
    type_ = each.asset_type
    if type_ in FREE:
        return asked.build_orphan(kind=FREE[type_], id_=id_, status=each.state.lower(), free=FREE_RULE)
    if type_ in KEPT:
        words, why, uses = KEPT[type_]
        note = "" if uses else NOT_SIZED
        return asked.build_orphan(kind=words, id_=id_, status=each.state.lower(), uses=uses, kept=why, note=note)
    words, uses = PAID.get(type_, (type_, ()))
    return asked.build_orphan(kind=words, id_=id_, status=each.state.lower(), uses=uses)


PROJECT: Final = "gcp:project"


def read_capacity(asked: Asked) -> CloudReport:
    found = google_of(asked.config.get(PROJECT, ""))
    return CloudReport(silence=found) if isinstance(found, str) else read_project_capacity(found, asked)


def read_project_capacity(google: GoogleProject, asked: Asked) -> CloudReport:
    """The same, of a given project."""
    spec = asked.spec
    try:
        region = google.get_region(spec.placement.region)
    except REFUSED as error:
        return CloudReport(silence=refusal(error))
    zones = spec.placement.zones or tuple(_last(url) for url in region.zones)
    machines_ = sorted({pool.machine for pool in spec.pools})
    return CloudReport(
        quotas=quotas(region),
        offers={
            name: REFUSALS.attempt(lambda machine=name: _offer(google, machine, zones=zones)) for name in machines_
        },
        reservations={
            id_: REFUSALS.attempt(lambda name=id_: _reservation(google, name))
            for id_ in sorted(asked.reservations.values())
        },
    )


def quotas(region: compute_v1.Region) -> dict[str, QuotaReport | UnknownFact]:
    """Quotas of a region by metric; what is used may be this stack's own."""
    # Usage is counted with this stack's own: Google does not say whose it is.
    return {
        each.metric: QuotaReport(limit=int(each.limit), used=int(each.usage), own_included=True)
        for each in region.quotas
    }


def _offer(google: GoogleProject, machine: str, *, zones: Iterable[str]) -> OfferReport:
    found = tuple(zone for zone in zones if google.offers(zone=zone, machine=machine))
    return OfferReport(zones=found, offered=bool(found), efa_interfaces=None, source=CLOUD)


def _reservation(google: GoogleProject, name: str) -> ReservationReport | None:
    listed = list(google.list_reservations(name))
    return convert_reservation(listed[0]) if listed else None


def convert_reservation(found: compute_v1.Reservation) -> ReservationReport:
    specific = cast("object", found.specific_reservation)  # pyright: ignore[reportUnknownMemberType]
    held = cast("compute_v1.AllocationSpecificSKUReservation", specific)
    properties = cast("object", held.instance_properties)  # pyright: ignore[reportUnknownMemberType]
    machine = cast("compute_v1.AllocationSpecificSKUAllocationReservedInstanceProperties", properties)
    return ReservationReport(
        id=found.name,
        status=found.status,
        machine=machine.machine_type,
        zone=_last(found.zone),
        count=int(held.count),
        ends=date.fromisoformat(found.delete_at_time[:10]) if found.delete_at_time else None,
    )


def search(asked: Asked) -> Search:
    """Everything of the stack that the project still has."""
    found = google_of(asked.config.get(PROJECT, ""))
    if isinstance(found, str):
        return Search((), (asked.build_unanswered("Google Cloud", found),))
    return search_project(found, asked)


def search_project(google: GoogleProject, asked: Asked) -> Search:
    """The same, of a given project."""
    place = asked.spec.placement
    looks: Mapping[str, Callable[[], Iterable[Orphan]]] = {
        "machines": lambda: machines((each for mark in marks(asked) for each in google.list_instances(*mark)), asked),
        "disks": lambda: disks((each for mark in marks(asked) for each in google.list_disks(*mark)), asked),
        "routers": lambda: routers(google.list_routers(place.region), asked),
        "forwarding rules": lambda: forwarding_rules(google.list_forwarding_rules(place.region), asked),
        "everything else by label": lambda: assets(google.search_assets(LABEL, asked.stack), asked),
    }
    return REFUSALS.search(asked, looks)


def _last(url: str) -> str:
    return url.rpartition("/")[2]
