"""The SKUs of Google's services, each with its description without the place, its regions and its tiers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from operations.price_refresh.answers import as_object, as_objects, as_text, read_object
from operations.price_refresh.model import PriceReadError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.price_refresh.model import PriceRequest

KEY: Final = "GOOGLE_API_KEY"
GLOBAL: Final = "global"
PAGE: Final = 5000
MOST_PAGES: Final = 50  # Compute Engine fills about ten
NANO: Final = Decimal("1e-9")
PLACE: Final = re.compile(r"\s+(?:running\s+)?in\s+[A-Z].*$|\s+\([^()]*\)$")  # " running in Iowa", " (asia-east2)"


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingSku:
    """One SKU.

    Args:
        description: as it is. name: without the place at its end, which its regions state.
        usage: OnDemand, Preemptible, Commit1Yr.
        unit: Google's word, as GiBy.mo.
        tiers: quantity from which a price holds, and the price, ascending.
    """

    description: str
    name: str
    group: str
    usage: str
    regions: tuple[str, ...]
    unit: str
    currency: str
    tiers: tuple[tuple[Decimal, Decimal], ...]
    since: date


def read_services(request: PriceRequest) -> Mapping[str, str]:
    """The id of each service by the name that people read.

    Raises:
        HttpError, PriceReadError: the list cannot be had, or is none.
    """
    rows = _pages(request, "/v1/services", "services")
    return {
        as_text(row.get("displayName"), name="displayName"): as_text(row.get("serviceId"), name="serviceId")
        for row in rows
    }


def read_skus(request: PriceRequest, service: str) -> Iterator[BillingSku]:
    """Every SKU of a service that has a price.

    Raises:
        HttpError, PriceReadError: as `read_services`; or a SKU is not in the form of the contract.
    """
    for row in _pages(request, f"/v1/services/{service}/skus", "skus"):
        pricing = as_objects(row.get("pricingInfo"), name="pricingInfo")
        if pricing:
            yield _sku(row, pricing[-1])


def _pages(request: PriceRequest, path: str, name: str) -> Iterator[Mapping[str, object]]:
    token = ""
    for _ in range(MOST_PAGES):
        query: dict[str, str | int] = {"pageSize": PAGE} | ({"pageToken": token} if token else {})
        page = read_object(request, path, query=query, headers={"X-Goog-Api-Key": request.keys[KEY]})
        yield from as_objects(page.get(name, []), name=name)
        token = as_text(page.get("nextPageToken", ""), name="nextPageToken")
        if not token:
            return
    raise PriceReadError(f"the pages of {path} have no end")


def _sku(row: Mapping[str, object], pricing: Mapping[str, object]) -> BillingSku:
    description = as_text(row.get("description"), name="description")
    category = as_object(row.get("category"), name=f"category of {description}")
    expression = as_object(pricing.get("pricingExpression"), name=f"pricingExpression of {description}")
    rates = as_objects(expression.get("tieredRates", []), name=f"tieredRates of {description}")
    prices = [as_object(rate.get("unitPrice"), name=f"unitPrice of {description}") for rate in rates]
    currencies = {as_text(each.get("currencyCode"), name="currencyCode") for each in prices}
    regions = row.get("serviceRegions")
    try:
        since = datetime.fromisoformat(as_text(pricing.get("effectiveTime"), name="effectiveTime")[:19]).date()
        tiers = sorted(
            (Decimal(str(rate.get("startUsageAmount", 0))), _money(price))
            for rate, price in zip(rates, prices, strict=True)
        )
    except (ValueError, InvalidOperation) as error:
        raise PriceReadError(f"{description} has no price or no date: the catalog has changed its form") from error
    return BillingSku(
        description=description,
        name=PLACE.sub("", description).strip(),
        group=as_text(category.get("resourceGroup", ""), name="resourceGroup"),
        usage=as_text(category.get("usageType"), name="usageType"),
        regions=tuple(map(str, regions)) if isinstance(regions, list) else (),  # pyright: ignore[reportUnknownArgumentType]
        unit=as_text(expression.get("usageUnit"), name="usageUnit"),
        currency=" and ".join(sorted(currencies)),
        tiers=tuple(tiers),
        since=since,
    )


def _money(price: Mapping[str, object]) -> Decimal:
    """Units and nanos together; a negative price has both negative."""
    return Decimal(str(price.get("units", 0))) + Decimal(str(price.get("nanos", 0))) * NANO
