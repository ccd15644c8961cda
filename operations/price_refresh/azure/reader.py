"""Reads Azure Retail Prices region by region, so that a price that changes meanwhile touches one region alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Method, Source
from catalogs.parsing import EVERYWHERE
from operations.price_refresh.azure.matching import (
    MACHINES,
    find_machines,
    find_services,
    meter_items,
    meters_filter,
)
from operations.price_refresh.azure.pages import VERSION, read_rows
from operations.price_refresh.model import PriceReadError, PriceSection, SectionKind, SilentSection
from operations.project.http import HttpError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from operations.price_refresh.azure.pages import RetailRow
    from operations.price_refresh.model import FoundPrice, PriceRequest

GLOBAL: Final = "Global"
ID: Final = "azure-retail-prices"
URL: Final = "https://prices.azure.com/api/retail/prices"
TEXT: Final = (
    "Azure Retail Prices, api-version {version}, by way of atoll catalog refresh; it has no date of its own, so rows "
    "carry the day on which they were read; the newest is in force since {since}"
)


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """What Azure prices without a region, then services and machines of each region."""
    if request.wants(SectionKind.SERVICES):
        yield _section(request, GLOBAL, SectionKind.SERVICES)
    for region in request.regions:
        for kind in sorted(request.kinds):
            yield _section(request, region, kind)


def _section(request: PriceRequest, place: str, kind: SectionKind) -> PriceSection | SilentSection:
    region = EVERYWHERE if place == GLOBAL else place
    request.tell(f"{place}: {kind}")
    try:
        rows, prices = _read(request, place, kind)
    except (PriceReadError, HttpError) as error:
        return SilentSection(
            provider=request.provider, region=region, kind=kind, reason=f"Azure Retail Prices: {error}"
        )
    if not prices:
        reason = f"Azure Retail Prices has no {kind} of {place} any more"
        return SilentSection(provider=request.provider, region=region, kind=kind, reason=reason)
    since = max(row.since for row in rows)
    text = TEXT.format(version=VERSION, since=since)
    source = Source(id=ID, text=text, url=URL, as_of=request.today, method=Method.LIST)
    return PriceSection(provider=request.provider, region=region, kind=kind, source=source, prices=tuple(prices))


def _read(request: PriceRequest, place: str, kind: SectionKind) -> tuple[list[RetailRow], list[FoundPrice]]:
    if kind is SectionKind.MACHINES:
        rows = list(read_rows(request, place=place, where=f"serviceName eq '{MACHINES}'"))
        return rows, find_machines(rows, today=request.today)
    items = meter_items("global" if place == GLOBAL else "region")
    rows = [
        row
        for row in read_rows(request, place=place, where=meters_filter(items))
        if any(item.matches(row) for item in items)
    ]
    return rows, list(find_services(rows, items, today=request.today))
