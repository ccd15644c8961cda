"""The rows of a query, page by page, each with the fields of the contract."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from operations.price_refresh.amounts import read_amount
from operations.price_refresh.answers import as_objects, as_text, read_object
from operations.price_refresh.model import PriceReadError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from operations.price_refresh.model import PriceRequest

PATH: Final = "/api/retail/prices"
VERSION: Final = "2023-01-01-preview"
MOST_PAGES: Final = 200  # of 1,000 rows; the machines of one region fill about ten
PAID_BY_USE: Final = "Consumption"  # the same meter is sold as Reservation and as DevTestConsumption, at other prices


@dataclass(frozen=True, slots=True, kw_only=True)
class RetailRow:
    """A price of one meter in one region.

    Args:
        above: quantity from which it holds, in the row's unit.
        since: day from which it is in force, which may be to come.
        primary: whether the row is the meter's own; the same meter is repeated for other regions.
    """

    service: str
    product: str
    sku: str
    meter: str
    machine: str
    unit: str
    amount: Decimal
    above: Decimal
    currency: str
    since: date
    primary: bool


def read_rows(request: PriceRequest, *, place: str, where: str) -> Iterator[RetailRow]:
    """Prices by use in force today at a place ("westeurope", "Global"), of a further OData condition.

    Raises:
        HttpError, PriceReadError: a page cannot be had, or is none; a page leads to another host or back.
    """
    condition = f"armRegionName eq '{place}' and priceType eq '{PAID_BY_USE}' and {where}"
    path = f"{PATH}?api-version={VERSION}&$filter={quote(condition)}"
    asked: set[str] = set()
    while path:
        if path in asked or len(asked) == MOST_PAGES:
            raise PriceReadError(f"the pages of {place} have no end")
        asked.add(path)
        page = read_object(request, path)
        items = as_objects(page.get("Items"), name="Items")
        if page.get("Count") not in (None, len(items)):
            raise PriceReadError(f"a page of {place} has {len(items)} rows and says {page.get('Count')}")
        found = (_row(each) for each in items if each.get("type") == PAID_BY_USE and each.get("armRegionName") == place)
        yield from (row for row in found if row.since <= request.today)
        path = _next_path(request, page.get("NextPageLink"))


def _next_path(request: PriceRequest, link: object) -> str:
    if not link:
        return ""
    try:
        there, here = urlsplit(as_text(link, name="NextPageLink")), urlsplit(request.address)
    except ValueError as error:
        raise PriceReadError("the link to the next page is no address") from error
    if there.hostname != here.hostname:
        raise PriceReadError(f"the next page lies on another host, {there.hostname}")
    return f"{there.path}?{there.query}"


def _row(item: Mapping[str, object]) -> RetailRow:
    texts = {name: as_text(item.get(name), name=name) for name in TEXTS}
    name = f"{texts['meterName']} of {texts['productName']}"
    try:
        since = date.fromisoformat(texts["effectiveStartDate"][:10])
    except ValueError as error:
        raise PriceReadError(f"{name} is in force since {texts['effectiveStartDate']!r}, which is no date") from error
    return RetailRow(
        service=texts["serviceName"],
        product=texts["productName"],
        sku=texts["skuName"],
        meter=texts["meterName"],
        machine=as_text(item.get("armSkuName") or "", name="armSkuName"),
        unit=texts["unitOfMeasure"],
        amount=read_amount(item.get("retailPrice"), name=name),
        above=read_amount(item.get("tierMinimumUnits"), name=name),
        currency=texts["currencyCode"],
        since=since,
        primary=item.get("isPrimaryMeterRegion") is True,
    )


TEXTS: Final = (
    "currencyCode",
    "effectiveStartDate",
    "meterName",
    "productName",
    "skuName",
    "serviceName",
    "unitOfMeasure",
)
