"""What Google Cloud says about one placement: before it is built, and after it is gone."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final, cast

from operations.clouds.gcp.client import REFUSED, google_of, refusal
from operations.clouds.gcp.orphans import LABEL, assets, disks, forwarding_rules, machines, marks, routers
from operations.clouds.registry import Search
from planning.cloud_checks.cloud_reports import (
    CLOUD,
    CloudReport,
    OfferReport,
    QuotaReport,
    ReservationReport,
    UnknownFact,
)
from planning.cloud_checks.orphans import Orphan, Unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    from google.cloud import compute_v1

    from operations.clouds.gcp.client import Google
    from operations.clouds.registry import Asked

    Answer = TypeVar("Answer")

PROJECT: Final = "gcp:project"


def read_capacity(asked: Asked) -> CloudReport:
    found = google_of(asked.config.get(PROJECT, ""))
    return CloudReport(silence=found) if isinstance(found, str) else read_project_capacity(found, asked)


def read_project_capacity(google: Google, asked: Asked) -> CloudReport:
    """The same, of a given project."""
    spec = asked.spec
    try:
        region = google.region(spec.placement.region)
    except REFUSED as error:
        return CloudReport(silence=refusal(error))
    zones = spec.placement.zones or tuple(_last(url) for url in region.zones)
    machines_ = sorted({pool.machine for pool in spec.pools})
    return CloudReport(
        quotas=quotas(region),
        offers={name: _or_unknown(lambda machine=name: _offer(google, machine, zones=zones)) for name in machines_},
        reservations={
            id_: _or_unknown(lambda name=id_: _reservation(google, name)) for id_ in sorted(asked.reservations.values())
        },
    )


def _or_unknown(ask: Callable[[], Answer]) -> Answer | UnknownFact:
    try:
        return ask()
    except REFUSED as error:
        return UnknownFact(refusal(error))


def quotas(region: compute_v1.Region) -> dict[str, QuotaReport | UnknownFact]:
    """Quotas of a region by metric; what is used may be this stack's own."""
    return {
        each.metric: QuotaReport(limit=int(each.limit), used=int(each.usage), own_included=True)
        for each in region.quotas
    }


def _offer(google: Google, machine: str, *, zones: Iterable[str]) -> OfferReport:
    found = tuple(zone for zone in zones if google.offers(zone=zone, machine=machine))
    return OfferReport(zones=found, offered=bool(found), efa_interfaces=None, source=CLOUD)


def _reservation(google: Google, name: str) -> ReservationReport | None:
    listed = list(google.reservations(name))
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
        unasked = Unanswered(placement=asked.spec.placement.name, what="Google Cloud", reason=found)
        return Search((), (unasked,))
    return search_project(found, asked)


def search_project(google: Google, asked: Asked) -> Search:
    """The same, of a given project."""
    place = asked.spec.placement
    looks: Mapping[str, Callable[[], Iterable[Orphan]]] = {
        "machines": lambda: machines((each for mark in marks(asked) for each in google.instances(*mark)), asked),
        "disks": lambda: disks((each for mark in marks(asked) for each in google.disks(*mark)), asked),
        "routers": lambda: routers(google.routers(place.region), asked),
        "forwarding rules": lambda: forwarding_rules(google.forwarding_rules(place.region), asked),
        "everything else by label": lambda: assets(google.assets(LABEL, asked.stack), asked),
    }
    found: list[Orphan] = []
    unanswered: list[Unanswered] = []
    for what, look in looks.items():
        try:
            found += look()
        except REFUSED as error:
            unanswered.append(Unanswered(placement=place.name, what=what, reason=refusal(error)))
    return Search(tuple(found), tuple(unanswered))


def _last(url: str) -> str:
    return url.rpartition("/")[2]
