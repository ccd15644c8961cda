"""What a cloud, or the catalog in its place, says about quotas, offers and reservations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, final

from catalogs.providers import find_traits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from catalogs.catalog import Catalog
    from catalogs.model import Region
    from planning.spec.cluster import ClusterSpec


CLOUD: Final = "cloud"
CATALOG: Final = "catalog"


@final
@dataclass(frozen=True, slots=True)
class UnknownFact:
    """A fact that is unknown, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaReport:
    """A quota as the cloud tells it.

    Args:
        name: as the account calls it; "" where it does not say.
        used: by others than this stack; None where it could not be counted.
        grows: nothing forbids more than `limit`, it is only what is there now.
        own_included: `used` counts what this stack runs as well, in one number.
    """

    limit: int
    used: int | None
    name: str = ""
    grows: bool = False
    own_included: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferReport:
    """Where a machine is offered.

    Args:
        zones: those of the region that offer it; empty where only the region is known.
        offered: whether the region offers it at all.
        efa_interfaces: at most; None where it was not said.
        source: CLOUD or CATALOG.
        as_of: day of a catalog's fact.
        reason: why it is not offered, where the place itself does not say it all.
    """

    zones: tuple[str, ...]
    offered: bool
    efa_interfaces: int | None
    source: str
    as_of: date | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationReport:
    """A reservation as the cloud tells it."""

    id: str
    status: str
    machine: str
    zone: str
    count: int
    ends: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudReport:
    """Everything a cloud said about one placement; what is not in a mapping was not said.

    Args:
        quotas: by code.
        offers: by machine.
        reservations: by id; None where the cloud has no such reservation.
        silence: why nothing was said about the rest.
    """

    quotas: Mapping[str, QuotaReport | UnknownFact] = field(default_factory=dict[str, "QuotaReport | UnknownFact"])
    offers: Mapping[str, OfferReport | UnknownFact] = field(default_factory=dict[str, "OfferReport | UnknownFact"])
    reservations: Mapping[str, ReservationReport | UnknownFact | None] = field(
        default_factory=dict[str, "ReservationReport | UnknownFact | None"]
    )
    silence: str = ""


def with_catalog(told: CloudReport, spec: ClusterSpec, *, catalog: Catalog) -> CloudReport:
    """The report of the cloud, completed by the catalog for machines that the cloud did not report."""
    open_ = {
        pool.machine for pool in spec.pools if isinstance(told.offers.get(pool.machine, UnknownFact("")), UnknownFact)
    }
    known = {machine: catalog_offer(machine, spec, catalog=catalog) for machine in sorted(open_)}
    return replace(told, offers={**told.offers, **known})


def catalog_offer(machine: str, spec: ClusterSpec, *, catalog: Catalog) -> OfferReport | UnknownFact:
    """Where the catalog knows a machine to be offered, or sold at least."""
    place = spec.placement
    zones = catalog.zones(provider=place.provider, machine=machine, region=place.region)
    fact = catalog.machines.get((place.provider, machine))
    efa = None if fact is None else fact.efa_interfaces
    source = catalog.sources.get(find_traits(place.provider).zones_source)
    as_of = source.as_of if source else None
    if zones:
        return OfferReport(zones=zones, offered=True, efa_interfaces=efa, source=CATALOG, as_of=as_of)
    if _elsewhere(machine, place.provider, catalog=catalog):
        return OfferReport(zones=(), offered=False, efa_interfaces=efa, source=CATALOG, as_of=as_of)
    sold = catalog.prices.of_item(provider=place.provider, item=machine, region=place.region)
    if not sold:
        return UnknownFact(f"the catalog knows no price of {machine} in {place.region}")
    dates = [price.as_of for price in sold if price.as_of]
    return OfferReport(zones=(), offered=True, efa_interfaces=efa, source=CATALOG, as_of=max(dates, default=None))


def _elsewhere(machine: str, provider: str, *, catalog: Catalog) -> bool:
    """Whether the catalog knows zones of this machine in any region."""
    regions: Mapping[tuple[str, str], Region] = catalog.regions
    named = [region for owner, region in regions if owner == provider]
    # Where no region has zones of it, silence about one says nothing.
    return any(catalog.zones(provider=provider, machine=machine, region=region) for region in named)
