"""What a new price must hold before it takes the place of an old one. Pure: sections and a catalog in, verdicts out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs.catalog import SERVICES
from catalogs.parsing import EVERYWHERE, HOUR, LIST, unit_of
from operations.price_refresh.amounts import MOST
from operations.price_refresh.model import USD, SectionKind, spell_amount
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from catalogs.catalog import Catalog
    from catalogs.model import Price, Source
    from operations.price_refresh.model import FoundPrice, PriceSection

FREE: Final = Path(__file__).with_name("free.csv")
LARGEST_CHANGE: Final = Decimal("0.25")  # more is listed, and held back until somebody accepts it
AGREEMENT: Final = Decimal("0.01")  # of two sources, as in the catalog
LEAST_SHARE: Final = Decimal("0.5")  # of what a source gave before; with less its form has changed
MOST_ABOVE: Final = Decimal(10**15)  # units of an item, in which a tier begins
SHOWN: Final = 40  # characters of what is no number of ours

PriceKey = tuple[str, str, str, str]  # provider, item, region, purchase


class PriceVerdict(StrEnum):
    """What becomes of a found price."""

    NEW = "new"
    SAME = "same"
    CHANGED = "changed"
    HELD = "held"  # it moved too far to be believed unseen
    REFUSED = "refused"
    OLDER = "older"  # than what it would replace
    UNDESCRIBED = "undescribed"  # a machine that the catalog has no row of hardware for


WRITTEN: Final = frozenset({PriceVerdict.NEW, PriceVerdict.SAME, PriceVerdict.CHANGED})


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPrice:
    """One key with all its tiers.

    Args:
        before: the tiers that held until now, of the region itself or of every region.
        reason: why it is refused or held; "" otherwise.
        flags: where a second source says otherwise.
    """

    key: PriceKey
    tiers: tuple[FoundPrice, ...]
    source: Source
    verdict: PriceVerdict
    before: tuple[Price, ...] = ()
    reason: str = ""
    flags: tuple[str, ...] = ()

    @property
    def change(self) -> Decimal | None:
        """The largest change of a tier as a share of the old price; None where there is no old price to compare."""
        return _largest_change(self.before, self.tiers)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSection:
    """A section with the verdict on each of its prices.

    Args:
        refused: why no price of it is taken; "" where some are.
        gone: keys that the same source gave before and does not any more; their rows stay and age.
        rank: of the reader; lower wins between two sources of one date.
    """

    section: PriceSection
    rank: int
    prices: tuple[JudgedPrice, ...] = ()
    refused: str = ""
    gone: tuple[PriceKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceGates:
    """The rules, over one catalog.

    Args:
        today: of the run; no source may be dated later.
        accept: whether prices that moved far are taken.
    """

    catalog: Catalog
    today: date
    accept: bool = False

    def judge(self, section: PriceSection, *, rank: int = 1) -> JudgedSection:
        """The verdict on a section and on each of its prices."""
        reason = self._refuse_section(section)
        if reason:
            return JudgedSection(section=section, rank=rank, refused=reason)
        groups: dict[PriceKey, list[FoundPrice]] = defaultdict(list)
        for price in section.prices:
            groups[section.provider, price.item, section.region, price.purchase].append(price)
        judged = tuple(self._judge_price(key, tiers, section) for key, tiers in groups.items())
        before = self._keys_of_source(section) if section.whole else set[PriceKey]()
        gone = tuple(sorted(before - groups.keys()))
        if before and Decimal(len(before) - len(gone)) / len(before) < LEAST_SHARE:
            reason = f"it gives {len(before) - len(gone)} of {len(before)} prices that it gave before"
        elif not any(each.verdict not in {PriceVerdict.REFUSED, PriceVerdict.UNDESCRIBED} for each in judged):
            reason = "no price of it can be used"
        return JudgedSection(section=section, rank=rank, prices=judged, refused=reason, gone=gone)

    def _refuse_section(self, section: PriceSection) -> str:
        if not section.prices:
            return "it has no price"
        if section.source.as_of and section.source.as_of > self.today:
            return f"it is dated {section.source.as_of}, after today, {self.today}: one of the two clocks is wrong"
        if section.region == EVERYWHERE:
            return "a machine has no price of every region" if section.kind is SectionKind.MACHINES else ""
        if (section.provider, section.region) not in self.catalog.regions:
            return "regions.csv has no such region"
        return ""

    def _judge_price(self, key: PriceKey, tiers: Sequence[FoundPrice], section: PriceSection) -> JudgedPrice:
        provider, item, region, purchase = key
        ordered = tuple(sorted(tiers, key=lambda each: each.above))
        before = self.catalog.prices.find_tiers(provider=provider, item=item, region=region, purchase=purchase)
        verdict, reason = self._find_verdict(key, ordered, before, kind=section.kind)
        return JudgedPrice(
            key=key,
            tiers=ordered,
            source=ordered[0].source or section.source,
            verdict=verdict,
            before=before,
            reason=reason,
            flags=tuple(self._disagreements(key, ordered[0])) if verdict in WRITTEN else (),
        )

    def _find_verdict(
        self, key: PriceKey, tiers: Sequence[FoundPrice], before: Sequence[Price], *, kind: SectionKind
    ) -> tuple[PriceVerdict, str]:
        provider, item, region, _ = key
        if (provider, item) not in self.catalog.machines and (item not in SERVICES or kind is SectionKind.MACHINES):
            return PriceVerdict.UNDESCRIBED, ""
        fault = next(self._faults(key, tiers), "")
        if fault:
            return PriceVerdict.REFUSED, fault
        own = [price for price in before if price.region == region]
        newest = max((price.as_of for price in own if price.as_of), default=None)
        if newest and min(each.as_of for each in tiers) < newest:
            return PriceVerdict.OLDER, ""
        change = _largest_change(before, tiers)
        if change is not None and change > LARGEST_CHANGE and not self.accept:
            return PriceVerdict.HELD, ""
        if not own:
            return PriceVerdict.NEW, ""
        new = {each.above: Decimal(spell_amount(each.amount)) for each in tiers}
        same = {price.above: price.usd for price in own} == new
        return (PriceVerdict.SAME if same else PriceVerdict.CHANGED), ""

    def _faults(self, key: PriceKey, tiers: Sequence[FoundPrice]) -> Iterator[str]:
        """Why a price is none of ours, the first reason first."""
        provider, item, _, purchase = key
        machine = (provider, item) in self.catalog.machines
        unit = HOUR if machine else unit_of(item)
        for each in tiers:
            yield from self._tier_faults(each, unit=unit)
        if any(spell_amount(each.amount) == "0" for each in tiers) and (provider, item) not in free_items():
            yield "a price of 0 is not known to be true: free.csv does not name it"
        if tiers[0].above > 0:
            yield f"its first tier begins at {spell_amount(tiers[0].above)}, and what is below it has no price"
        if len({each.above for each in tiers}) < len(tiers):
            yield f"it has {len(tiers)} rows for one key"
        if not machine and purchase != LIST:
            yield f"a service is priced for {LIST!r}, not {purchase!r}"
        if machine and not self.catalog.find_term(provider=provider, purchase=purchase):
            yield f"terms.csv does not explain {purchase!r}"

    def _tier_faults(self, tier: FoundPrice, *, unit: str) -> Iterator[str]:
        if tier.currency != USD:
            yield f"its currency is {tier.currency}, not USD"
        if not is_price(tier.amount):
            yield f"{str(tier.amount)[:SHOWN]} is no price"
        if not tier.above.is_finite() or not 0 <= tier.above < MOST_ABOVE:
            yield f"{str(tier.above)[:SHOWN]} is no quantity"
        if tier.unit != unit:
            yield f"its unit {tier.unit!r} is not {unit!r}"
        if tier.as_of > self.today:
            yield f"it is dated {tier.as_of}, after today, {self.today}"

    def _disagreements(self, key: PriceKey, first: FoundPrice) -> Iterator[str]:
        for each in self.catalog.second_opinions.get(",".join(key), ()):
            apart = abs(each.usd - first.amount)
            if first.amount and apart > AGREEMENT * first.amount:
                dated = f" of {each.as_of}" if each.as_of else ", undated"
                yield f"{each.source}{dated} says {each.usd} ({apart / first.amount:.0%} apart)"

    def _keys_of_source(self, section: PriceSection) -> set[PriceKey]:
        lines = self.catalog.prices.lines_in(provider=section.provider, region=section.region)
        cells = (line.split(",") for line in lines)
        return {
            (row[0], row[1], row[2], row[3])
            for row in cells
            if row[7] == section.source.id and (row[1] in SERVICES) == (section.kind is SectionKind.SERVICES)
        }


def _largest_change(before: Sequence[Price], tiers: Sequence[FoundPrice]) -> Decimal | None:
    """Of what holds from every quantity where a tier of either side begins. An old price of 0 has changed wholly."""
    old = {price.above: price.usd for price in before}
    new = {each.above: each.amount for each in tiers}
    pairs = ((_find_holding(old, above), _find_holding(new, above)) for above in sorted({*old, *new}))
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    return max((abs(other - one) / one if one else Decimal(bool(other)) for one, other in both), default=None)


def _find_holding(prices: Mapping[Decimal, Decimal], above: Decimal) -> Decimal | None:
    """The price of the tier in which a quantity lies; None below the first."""
    begins = max((each for each in prices if each <= above), default=None)
    return None if begins is None else prices[begins]


def is_price(amount: Decimal) -> bool:
    """Whether it is of a size that a price has: one of 400,000 digits could not even be written down."""
    return amount.is_finite() and 0 <= amount < MOST


@cache
def free_items() -> frozenset[tuple[str, str]]:
    """What is known to cost nothing, by provider and item."""
    return frozenset((row["provider"], row["item"]) for row in read_rows(FREE))
