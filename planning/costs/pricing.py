"""Charges become line items: one look-up, exactly one key, and a tier is a line of its own.

What has no price is estimated where the rule of `planning.costs.estimates` allows it, else unpriced.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from catalogs.model import OWN_PREFIX, Item, UnpricedError
from catalogs.parsing import unit_of
from planning.costs.bill import LIST_PRICE, BillGroup, LineItem, total
from planning.costs.estimates import ESTIMATE_SOURCE
from planning.spec.lock_content import State
from planning.values.json_format import decimal_text
from planning.values.money import NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from catalogs.model import Price
    from planning.costs.bill import Charge
    from planning.costs.estimates import Estimate, EstimatedTier, Estimates


STATED_SOURCE: Final = "checklist"
STATED_UNIT: Final = "month"  # what a checklist states itself (onboarding, a support fee) is paid by the month
UNDATED: Final = "undated"
# A support plan has a least fee (AWS support page: 100 and 29 USD a month), which is its rate on this much spend.
LEAST_BILL_USD: Final[Mapping[str, Decimal]] = {
    Item.SUPPORT_24X7: Decimal(1000),
    Item.SUPPORT_BUSINESS_HOURS: Decimal(29) / Decimal("0.03"),
}


class PriceList(Protocol):
    """A price list: `catalogs.catalog` has the real one."""

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        """The rows of one key, ascending by `above`.

        Raises:
            UnpricedError: no row matches.
            AmbiguousPriceError: rows of more than one key match.
        """
        ...

    def list_prices(self, *, provider: str, item: str) -> tuple[Price, ...]:
        """As `planning.costs.estimates.RegionalPrices`."""
        ...

    def places(self) -> Collection[tuple[str, str]]:
        """As `planning.costs.estimates.RegionalPrices`."""
        ...


class _Tier(Protocol):
    @property
    def above(self) -> Decimal: ...


T = TypeVar("T", bound=_Tier)


def price(
    charge: Charge, *, catalog_prices: PriceList, provider: str, region: str, estimates: Estimates | None = None
) -> tuple[LineItem, ...]:
    """The lines of one charge: one per tier reached, none where nothing is used at most.

    Args:
        estimates: of the same price list, for what it does not have; None where none are allowed.

    Raises:
        AmbiguousPriceError: the price list has more than one answer.
    """
    if charge.of_bill:
        raise ValueError(f"{charge.key} is a share of a bill: give it its quantity with `share_of_bill` first")
    if charge.quantity.max <= ZERO:
        return ()
    if charge.stated_usd is not None:
        return (
            replace(
                build_unpriced_line(charge, ""),
                state=State.PRICED,
                unit=STATED_UNIT,
                usd_per_unit=charge.stated_usd,
                usd_per_month=charge.quantity.times(charge.stated_usd),
                source=STATED_SOURCE,
            ),
        )
    place = place_of(charge, provider=provider, region=region)
    try:
        tiers = catalog_prices.tiers(provider=place[0], item=charge.item, region=place[1], purchase=charge.purchase)
        fallback = _fallback(charge, catalog_prices, place=place)
    except UnpricedError as error:
        return _without_price(charge, str(error), estimates, place=place)
    if not tiers or tiers[0].above != ZERO:
        return (build_unpriced_line(charge, f"no price of {charge.item} covers the first units"),)
    lines = tuple(_lines(charge, tiers))
    return lines if fallback is None else tuple(_at_most(line, charge, fallback) for line in lines)


def _without_price(
    charge: Charge, reason: str, estimates: Estimates | None, *, place: tuple[str, str]
) -> tuple[LineItem, ...]:
    """The lines of a charge that the price list does not have: estimated, or unpriced with what bounds it."""
    line = build_unpriced_line(charge, reason)
    if estimates is None or charge.purchase != LIST_PRICE:
        return (line,)
    provider, region = place
    found = estimates.find(provider=provider, item=charge.item, region=region)
    if found is not None:
        return tuple(_build_estimated_lines(charge, found))
    bound = estimates.bound(provider=provider, item=charge.item)
    if bound is None:
        return (line,)
    most = charge.quantity.max * bound.usd_per_unit
    return (replace(line, note=_join_notes(line.note, bound.basis), at_most_usd_per_month=most),)


def _build_estimated_lines(charge: Charge, found: Estimate) -> Iterator[LineItem]:
    """One line for each tier that the largest reading reaches."""
    for tier, quantity, suffix in _list_reached(charge.quantity, found.tiers):
        line = _build_estimated_line(charge, found, tier, quantity)
        yield replace(line, key=line.key + suffix)


def _build_estimated_line(charge: Charge, found: Estimate, tier: EstimatedTier, quantity: Range) -> LineItem:
    return replace(
        build_unpriced_line(charge, found.basis(tier)),
        state=State.ESTIMATED,
        quantity=quantity,
        unit=found.unit,
        usd_per_unit=tier.usd.expected,
        usd_per_month=quantity.by(tier.usd),
        source=ESTIMATE_SOURCE,
        as_of=found.as_of,
        usd_per_unit_range=tier.usd,
    )


def place_of(charge: Charge, *, provider: str, region: str) -> tuple[str, str]:
    """Provider and region at whose prices a charge of a cluster at this place is paid."""
    if not charge.at:
        return provider, region
    elsewhere, _, its_region = charge.at.partition("/")
    return elsewhere, its_region


def _fallback(charge: Charge, catalog_prices: PriceList, *, place: tuple[str, str]) -> Price | None:
    """The price of the purchase that may take this one's place; None where nothing may.

    Raises:
        UnpricedError: it has no price, so the most that may be paid is not known.
    """
    if not charge.fallback:
        return None
    provider, region = place
    return catalog_prices.tiers(provider=provider, item=charge.item, region=region, purchase=charge.fallback)[0]


def with_fallback(usd: Range, *, hours: Range, usd_per_hour: Decimal) -> Range:
    """USD of machines whose hours may all be bought at a higher price in the worst month."""
    return usd.up_to(hours.max * usd_per_hour)


def _at_most(line: LineItem, charge: Charge, fallback: Price) -> LineItem:
    """The line with its maximum at the price of the fallback."""
    usd = line.usd_per_month or NOTHING
    most = with_fallback(usd, hours=charge.quantity, usd_per_hour=fallback.usd)
    own = f" ({fallback.source})" if fallback.source.startswith(OWN_PREFIX) else ""
    note = f"at most {charge.fallback.replace('_', ' ')} at {fallback.usd} USD{own}"
    return replace(line, usd_per_month=most, note=_join_notes(line.note, note))


def price_all(
    charges: Iterable[Charge],
    *,
    catalog_prices: PriceList,
    provider: str,
    region: str,
    estimates: Estimates | None = None,
) -> tuple[LineItem, ...]:
    """The lines of several charges at one place, in their order; those that are a share of the bill come last."""
    every = tuple(charges)
    lines_of = partial(price, catalog_prices=catalog_prices, provider=provider, region=region, estimates=estimates)
    lines = [line for charge in every if not charge.of_bill for line in lines_of(charge)]
    shares = [share_of_bill(charge, lines) for charge in every if charge.of_bill]
    for charge in shares:
        lines += lines_of(charge)
    return tuple(lines)


def share_of_bill(charge: Charge, lines: Iterable[LineItem]) -> Charge:
    """A charge that follows the bill, with its quantity: the USD of `lines`, services of people left out."""
    usd = total(line for line in lines if line.group is not BillGroup.SERVICES)
    least = LEAST_BILL_USD.get(charge.item, ZERO)
    quantity = Range(*(max(reading, least) for reading in usd.readings))
    return replace(charge, quantity=quantity, of_bill=False)


def build_unpriced_line(charge: Charge, reason: str) -> LineItem:
    """The line of a charge without a price; `reason` becomes its note."""
    return LineItem(
        key=charge.key,
        label=charge.label,
        group=charge.group,
        item=charge.item,
        state=State.UNPRICED,
        quantity=charge.quantity,
        unit=unit_of(charge.item),
        usd_per_unit=None,
        usd_per_month=None,
        source="",
        as_of=None,
        note=_join_notes(charge.note, reason),
    )


def in_tiers(quantity: Range, tiers: Sequence[T]) -> Iterator[tuple[T, Range]]:
    """Each tier with the part of each reading that lies in it; the last tier has no end.

    A range of 5, 15, 40 in tiers above 0, 10 and 30 is 5, 10, 10, then 0, 5, 20, then 0, 0, 10.
    """
    readings = quantity.readings
    for tier, upto in zip(tiers, (*(each.above for each in tiers[1:]), None), strict=True):
        yield tier, Range(*(_inside(reading, tier.above, upto) for reading in readings))


def _list_reached(quantity: Range, tiers: Sequence[T]) -> Iterator[tuple[T, Range, str]]:
    """Each tier that the largest reading reaches, its part, and what is added to the key of its line."""
    for number, (tier, part) in enumerate(in_tiers(quantity, tiers), start=1):
        if part.max > ZERO:
            yield tier, part, "" if number == 1 else f"#{number}"


def _inside(reading: Decimal, above: Decimal, upto: Decimal | None) -> Decimal:
    reached = reading if upto is None else min(reading, upto)
    return max(reached - above, ZERO)


def _lines(charge: Charge, tiers: tuple[Price, ...]) -> Iterator[LineItem]:
    """One line for each tier that the largest reading reaches."""
    if len(tiers) == 1:
        yield _tier_line(charge, tiers[0], charge.quantity, suffix="")
        return
    for tier, quantity, suffix in _list_reached(charge.quantity, tiers):
        yield _tier_line(charge, tier, quantity, suffix=suffix)


def _tier_line(charge: Charge, tier: Price, quantity: Range, *, suffix: str) -> LineItem:
    """The line of one tier; a price of nothing is free, and its source says so."""
    free = tier.usd == ZERO
    note = _join_notes(UNDATED if tier.as_of is None else "", tier.disagreement, describe_discounts(tier))
    return replace(
        build_unpriced_line(charge, note),
        key=charge.key + suffix,
        state=State.FREE if free else State.PRICED,
        quantity=quantity,
        unit=tier.unit,
        usd_per_unit=None if free else tier.usd,
        usd_per_month=NOTHING if free else quantity.times(tier.usd),
        source=tier.source,
        as_of=tier.as_of,
        list_usd_per_unit=tier.list_usd,
        entered=tier.entered,
    )


def describe_discounts(price: Price) -> str:
    """What the list asks, and what the customer's own book takes off it; "" for a price without a discount."""
    if price.list_usd is None:
        return ""
    return f"list {decimal_text(price.list_usd)} USD, {', then '.join(price.discounts)}"


def _join_notes(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
