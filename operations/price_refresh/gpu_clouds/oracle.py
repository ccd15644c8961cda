"""Oracle's price list: one JSON answer of every part by its number, its tiers by where they start; no key is needed.

A machine is its parts' rates times their numbers; the list has no price of a shape as such. One price holds in every
commercial region, but for egress, of which the row of North America, Europe and the United Kingdom is taken.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs.catalog import SERVICES
from catalogs.model import Method, Source
from catalogs.parsing import EVERYWHERE, HOUR, LIST, unit_of
from operations.price_refresh.amounts import read_amount
from operations.price_refresh.answers import as_objects, as_text, read_object
from operations.price_refresh.gpu_clouds.machine_quotes import ON_DEMAND
from operations.price_refresh.model import USD, FoundPrice, PriceReadError, PriceSection, SectionKind, SilentSection
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from operations.price_refresh.model import PriceRequest

TABLE: Final = Path(__file__).with_name("oracle_parts.csv")
PATH: Final = "/pls/apex/cetools/api/v1/products/"
MODEL: Final = "PAY_AS_YOU_GO"
DROPPED: Final = "dropped"
ONE_PRICE: Final = "one price in every commercial region"


@dataclass(frozen=True, slots=True, kw_only=True)
class OraclePart:
    """A row of oracle_parts.csv: one of the parts that an item is charged by.

    Args:
        metric: Oracle's words for its unit; others are passed on, and refused.
        times: how many of them one item has.
        per_accelerator: whether a machine has as many as it has GPUs.
        allowance: "dropped" where what an account has free of it is not taken off, so that its first charge counts
            from 0 on.
    """

    item: str
    part: str
    metric: str
    times: Decimal
    per_accelerator: bool
    allowance: str

    def tiers(self, rates: Mapping[str, _Rates]) -> tuple[tuple[Decimal, Decimal], ...]:
        """The rates of one unit by where each starts."""
        tiers = rates[self.part].tiers
        charged = [tier for tier in tiers if tier[1]]
        if self.allowance == DROPPED and charged:
            return ((Decimal(0), charged[0][1]), *charged[1:])
        return tiers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rates:
    """What the list says of one part: a rate from each amount on, in their order."""

    metric: str
    tiers: tuple[tuple[Decimal, Decimal], ...]


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """Services of every region, and the machines of each. Raises: as `Reader.read`."""
    answer = read_object(request, PATH, query={"currencyCode": USD})
    updated = read_day(answer)
    rates = read_rates(answer)
    if request.wants(SectionKind.SERVICES):
        yield _section(request, EVERYWHERE, SectionKind.SERVICES, rates=rates, updated=updated)
    for region in request.regions if request.wants(SectionKind.MACHINES) else ():
        yield _section(request, region, SectionKind.MACHINES, rates=rates, updated=updated)


def read_day(answer: Mapping[str, object]) -> date:
    """The day on which Oracle last changed the list.

    Raises:
        PriceReadError: it says none.
    """
    said = as_text(answer.get("lastUpdated"), name="lastUpdated")
    try:
        return datetime.fromisoformat(said).date()
    except ValueError as error:
        raise PriceReadError(f"lastUpdated is {said[:40]!r} and no time: the source has changed its form") from error


def read_rates(answer: Mapping[str, object]) -> Mapping[str, _Rates]:
    """The pay-as-you-go rates in USD of every part that has any.

    Raises:
        PriceReadError: not the form of the list, only a part of it, or another currency alone.
    """
    if answer.get("hasMore"):
        raise PriceReadError("the price list came in part: the source has changed its form")
    found: dict[str, _Rates] = {}
    currencies: set[str] = set()
    for item in as_objects(answer.get("items"), name="items"):
        part = as_text(item.get("partNumber"), name="partNumber")
        for prices in as_objects(item.get("currencyCodeLocalizations"), name=f"{part}: currencyCodeLocalizations"):
            currency = as_text(prices.get("currencyCode"), name=f"{part}: currencyCode")
            currencies.add(currency)
            tiers = _read_tiers(prices, part=part) if currency == USD else ()
            if tiers:
                found[part] = _Rates(metric=as_text(item.get("metricName"), name=f"{part}: metricName"), tiers=tiers)
    if currencies and USD not in currencies:
        raise PriceReadError(f"the price list is in {', '.join(sorted(currencies)[:3])} and not in {USD}")
    return found


def _read_tiers(prices: Mapping[str, object], *, part: str) -> tuple[tuple[Decimal, Decimal], ...]:
    tiers = [
        (
            read_amount(each.get("rangeMin") or 0, name=f"{part}: rangeMin"),
            read_amount(each.get("value"), name=f"{part}: value"),
        )
        for each in as_objects(prices.get("prices"), name=f"{part}: prices")
        if each.get("model") == MODEL
    ]
    starts = [start for start, _ in tiers]
    if tiers and (min(starts) != 0 or len(set(starts)) < len(starts)):
        raise PriceReadError(
            f"{part} has no price from 0 on, or two from one amount on: the source has changed its form"
        )
    return tuple(sorted(tiers))


def _section(
    request: PriceRequest, region: str, kind: SectionKind, *, rates: Mapping[str, _Rates], updated: date
) -> PriceSection | SilentSection:
    machines = kind is SectionKind.MACHINES
    source = Source(
        id=f"oracle-list-{'gpu' if machines else 'services'}",
        text=f"Oracle price list API, dated by its lastUpdated; {ONE_PRICE}"
        + ("; rate per GPU times the GPUs of the shape" if machines else ""),
        url=request.address + PATH,
        as_of=updated,
        method=Method.PER_GPU_RATE if machines else Method.LIST,
    )
    prices: list[FoundPrice] = []
    missing: list[str] = []
    for item, parts in parts_by_item().items():
        if (item in SERVICES) == machines or (machines and (request.provider, item) not in request.catalog.machines):
            continue
        if all(each.part in rates for each in parts):
            prices += _build_prices(request, parts, rates=rates, updated=updated)
        else:
            missing.append(item)
    if not prices:
        reason = "no part of the list is one that the catalog's items are charged by"
        return SilentSection(provider=request.provider, region=region, kind=kind, reason=reason)
    skipped = (f"not in the list any more: {', '.join(missing)}",) if missing else ()
    return PriceSection(
        provider=request.provider, region=region, kind=kind, source=source, prices=tuple(prices), skipped=skipped
    )


def _build_prices(
    request: PriceRequest, parts: Sequence[OraclePart], *, rates: Mapping[str, _Rates], updated: date
) -> Iterator[FoundPrice]:
    """One price for each amount from which any part's rate changes."""
    item = parts[0].item
    is_machine = item not in SERVICES
    counts = {
        each.part: each.times
        * (request.catalog.machines[request.provider, item].accelerators if each.per_accelerator else 1)
        for each in parts
    }
    metrics = ((rates[each.part].metric, each.metric) for each in parts)
    strange = next((said for said, ours in metrics if said.casefold() != ours.casefold()), "")  # "Per" is "per", too
    tiers = {each.part: each.tiers(rates) for each in parts}
    starts = sorted({start for every in tiers.values() for start, _ in every})
    for start in starts:
        yield FoundPrice(
            item=item,
            amount=sum((_rate_at(tiers[part], start) * count for part, count in counts.items()), Decimal(0)),
            as_of=updated,
            unit=strange or (HOUR if is_machine else unit_of(item)),
            above=start,
            purchase=ON_DEMAND if is_machine else LIST,
        )


def _rate_at(tiers: Sequence[tuple[Decimal, Decimal]], amount: Decimal) -> Decimal:
    return [rate for start, rate in tiers if start <= amount][-1]


@cache
def parts_by_item() -> Mapping[str, tuple[OraclePart, ...]]:
    """The rows of oracle_parts.csv."""
    found: dict[str, list[OraclePart]] = defaultdict(list)
    for row in read_rows(TABLE):
        part = OraclePart(
            item=row["item"],
            part=row["part"],
            metric=row["metric"],
            times=Decimal(row["times"]),
            per_accelerator=row["per_accelerator"] == "true",
            allowance=row["allowance"],
        )
        found[part.item].append(part)
    return {item: tuple(parts) for item, parts in found.items()}
