"""Where machines are offered as the catalog knows it: for clouds that were not asked or did not answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from planning.cloud_checks.cloud_reports import CATALOG, OfferTold, Told, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from catalogs.catalog import Catalog
    from catalogs.model import Region
    from planning.spec.cluster import ClusterSpec

ZONES_SOURCES: Final[Mapping[str, str]] = {
    "aws": "aws-ec2-zones",
    "coreweave": "coreweave-zones",
    "gcp": "gcp-zones",
}  # provider: id in sources.csv of its zones.csv


def with_catalog(told: Told, spec: ClusterSpec, *, catalog: Catalog) -> Told:
    """What was told, with the catalog's word for every machine of the placement that nobody spoke of."""
    open_ = {pool.machine for pool in spec.pools if isinstance(told.offers.get(pool.machine, Unknown("")), Unknown)}
    known = {machine: catalog_offer(machine, spec, catalog=catalog) for machine in sorted(open_)}
    return replace(told, offers={**told.offers, **known})


def catalog_offer(machine: str, spec: ClusterSpec, *, catalog: Catalog) -> OfferTold | Unknown:
    """Where the catalog knows a machine to be offered, or sold at least."""
    place = spec.placement
    zones = catalog.zones(provider=place.provider, machine=machine, region=place.region)
    efa = _efa_interfaces(machine, place.provider, catalog=catalog)
    as_of = _day(place.provider, catalog=catalog)
    if zones:
        return OfferTold(zones=zones, offered=True, efa_interfaces=efa, source=CATALOG, as_of=as_of)
    if _elsewhere(machine, place.provider, catalog=catalog):
        return OfferTold(zones=(), offered=False, efa_interfaces=efa, source=CATALOG, as_of=as_of)
    sold = catalog.prices.of_item(provider=place.provider, item=machine, region=place.region)
    if not sold:
        return Unknown(f"the catalog knows no price of {machine} in {place.region}")
    dates = [price.as_of for price in sold if price.as_of]
    return OfferTold(zones=(), offered=True, efa_interfaces=efa, source=CATALOG, as_of=max(dates, default=None))


def _elsewhere(machine: str, provider: str, *, catalog: Catalog) -> bool:
    """Whether the catalog knows zones of this machine in any region, so that silence about one means something."""
    regions: Mapping[tuple[str, str], Region] = catalog.regions
    named = [region for owner, region in regions if owner == provider]
    return any(catalog.zones(provider=provider, machine=machine, region=region) for region in named)


def _efa_interfaces(machine: str, provider: str, *, catalog: Catalog) -> int | None:
    known = (provider, machine) in catalog.machines
    return catalog.machines[provider, machine].efa_interfaces if known else None


def _day(provider: str, *, catalog: Catalog) -> date | None:
    source = catalog.sources.get(ZONES_SOURCES.get(provider, ""))
    return source.as_of if source else None
