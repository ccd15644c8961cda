"""Findings become line items: charges priced where the resource is, gaps as unpriced lines that say why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, final

from catalogs.model import UnpricedError
from planning.costs import pricing
from planning.costs.bill import LineItem
from planning.costs.charge import LIST_PRICE, Charge
from planning.costs.resources.findings import Free, Gap, Place
from planning.costs.resources.locations import place_of
from planning.costs.resources.properties import UnreadableError
from planning.spec.lock_content import State
from planning.values.money import NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from catalogs.model import Price
    from planning.costs.pricing import Prices
    from planning.costs.resources.context import Case
    from planning.costs.resources.findings import Finding

CHOICE: Final = "one of "  # how the note of a line begins whose machine is one of several
_NOWHERE: Final = Place("", "")  # where a price that the checklist states is looked up: nowhere


@final
class Remembered:
    """A price list that remembers what it was asked."""

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._answers: dict[tuple[str, str, str, str], tuple[Price, ...] | str] = {}

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        """As `Prices.tiers`."""
        asked = (provider, item, region, purchase)
        if asked not in self._answers:
            self._answers[asked] = self._look_up(*asked)
        answer = self._answers[asked]
        if isinstance(answer, str):
            raise UnpricedError(answer)
        return answer

    def _look_up(self, provider: str, item: str, region: str, purchase: str) -> tuple[Price, ...] | str:
        """The price, or why there is none."""
        try:
            return self._prices.tiers(provider=provider, item=item, region=region, purchase=purchase)
        except UnpricedError as error:
            return str(error)


def lines_of(found: Finding, case: Case, prices: Prices, *, rest: Sequence[LineItem] | None) -> tuple[LineItem, ...]:
    """The lines of one finding.

    Args:
        found: what a counter found.
        case: where it was found, which tells the place that prices hold for.
        prices: price list.
        rest: every other line of the bill, for charges that are a share of it; None while that is not known yet, and
            then such a charge has no line.
    """
    if isinstance(found, Free):
        return ()
    if isinstance(found, Gap):
        return (_empty(found, at_most=_at_most(found, case, prices)),)
    charges = (found,) if isinstance(found, Charge) else found.charges
    if charges[0].of_bill:
        charges = () if rest is None else (pricing.share_of_bill(charges[0], rest),)
    return _priced(charges, case, prices) if charges else ()


def _priced(charges: tuple[Charge, ...], case: Case, prices: Prices) -> tuple[LineItem, ...]:
    """The lines of one charge, or of a choice of several."""
    try:
        place = _NOWHERE if charges[0].stated_usd is not None or charges[0].at else place_of(case)
    except UnreadableError as error:
        return (pricing.unpriced(charges[0], str(error)),)
    priced = tuple(
        pricing.price(each, catalog_prices=prices, provider=place.provider, region=place.region) for each in charges
    )
    return priced[0] if len(priced) == 1 else _either(charges, priced)


def _either(charges: Sequence[Charge], priced: Sequence[tuple[LineItem, ...]]) -> tuple[LineItem, ...]:
    """One line for a choice: the cheapest of it at the least, the dearest at the most, the first expected."""
    names = ", ".join(charge.item for charge in charges)
    lines = [line for each in priced for line in each]
    missing = [line for line in lines if line.usd_per_month is None]
    if missing or not lines:
        return tuple(replace(missing[0], note=f"{CHOICE}{names}: {missing[0].note}") for _ in missing[:1])
    amounts = [line.usd_per_month for line in lines if line.usd_per_month is not None]
    spread = Range(min(each.min for each in amounts), amounts[0].expected, max(each.max for each in amounts))
    return (replace(lines[0], usd_per_month=spread, note=f"{CHOICE}{names}: the cheapest to the dearest"),)


def _at_most(gap: Gap, case: Case, prices: Prices) -> Decimal | None:
    """USD a month that a gap comes to at most; None where nothing bounds it, or where the bound has no price."""
    lines = [line for choice in gap.at_most for line in _priced(choice.charges, case, prices)]
    amounts = [line.usd_per_month.max for line in lines if line.usd_per_month is not None]
    return sum(amounts, start=ZERO) if gap.at_most and len(amounts) == len(lines) else None


def _empty(gap: Gap, *, at_most: Decimal | None) -> LineItem:
    """The line of a gap."""
    return LineItem(
        key=gap.key,
        label=gap.label,
        group=gap.group,
        item=gap.item,
        state=State.UNPRICED,
        quantity=NOTHING,
        unit="",
        usd_per_unit=None,
        usd_per_month=None,
        source="",
        as_of=None,
        note=gap.reason,
        at_most_usd_per_month=at_most,
    )
