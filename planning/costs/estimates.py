"""What a service without a price in one region may cost there, by a written rule (decision 0038).

The rule. A provider's service that has a list price in at least three other regions is estimated, where the provider
sells anything in the region at all. The least expensive of these regions is the minimum, the most expensive the
maximum. The expected value follows the region's price level: over the services priced both here and in another region
the ratios of the two prices are compared; of the regions with a price the three whose ratios are nearest to 1 on
average are taken, each one's price times the median of its ratios; the median of the three, never outside the range,
is expected. Prices in tiers are estimated tier by tier, from the regions that share the most common tiers.

Never estimated: machines, whose absence from a price list may mean that they are not sold; any purchase but the list
price; anything across providers. Rows that are undated, too old or the customer's own say nothing of another region.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING, Final, Protocol, final

from catalogs.model import Item
from catalogs.parsing import EVERYWHERE, spell_unit
from planning.values.json_format import decimal_text
from planning.values.money import ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date

    from catalogs.model import Price

ESTIMATE_SOURCE: Final = "estimate"
ESTIMATES_KEY: Final = "atoll:estimates"  # of the stack's configuration
LEAST_REGIONS: Final = 3
REFERENCES: Final = 3
LEAST_PROVIDERS: Final = 5
# Support is a share of the bill, the same in every region: what has no price there has none anywhere.
SERVICES: Final = frozenset(map(str, Item)) - {Item.SUPPORT_BUSINESS_HOURS, Item.SUPPORT_24X7}
# Sold alike by every cloud, and small beside the machines: what the most expensive one asks bounds what any asks.
COMMODITIES: Final = frozenset({str(Item.LOAD_BALANCER), str(Item.PUBLIC_IPV4), str(Item.INTERNET_EGRESS)})
_SHORT: Final = Context(prec=6, rounding=ROUND_HALF_EVEN)  # digits of an expected price: list prices have at most that


class EstimateUse(StrEnum):
    """Whether a stack, or a project, lets what has no price be estimated."""

    ALLOWED = "allowed"
    NONE = "none"


class RegionalPrices(Protocol):
    """What the rule asks of a price list."""

    def list_prices(self, *, provider: str, item: str) -> tuple[Price, ...]:
        """The dated list prices of a service in every region, none of them too old."""
        ...

    def places(self) -> Collection[tuple[str, str]]:
        """Provider and region of everything that has a price."""
        ...


@dataclass(frozen=True, slots=True)
class EstimatedTier:
    """USD per unit above a quantity: least region, expected, most expensive region."""

    above: Decimal
    usd: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The price of one service in one region, estimated.

    Args:
        tiers: ascending by `above`; the first begins at 0.
        regions: how many others have a price.
        references: the regions that the expected price follows, most alike first; empty where no service but this one
            is priced in both, so that the median of all regions is expected.
        services: least number of services on which the likeness of a reference rests.
        as_of: of the oldest price that it leans on.
    """

    unit: str
    tiers: tuple[EstimatedTier, ...]
    regions: int
    references: tuple[str, ...]
    services: int
    as_of: date

    def basis(self, tier: EstimatedTier) -> str:
        """What the price of a tier leans on, in words."""
        ends = " to ".join(dict.fromkeys(decimal_text(usd) for usd in (tier.usd.min, tier.usd.max)))
        known = f"{self.regions} other regions have it at {ends} USD per {spell_unit(self.unit)}"
        if not self.references:
            return f"estimated: {known}; their median is expected"
        likened = f"whose prices of {self.services} or more other services are most like those here"
        return f"estimated: {known}; expected from {', '.join(self.references)}, {likened}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommodityBound:
    """The most that a commodity may cost: what the most expensive of several providers asks for it."""

    usd_per_unit: Decimal
    unit: str
    providers: int

    @property
    def basis(self) -> str:
        unit = spell_unit(self.unit)
        return f"at most {decimal_text(self.usd_per_unit)} USD per {unit}, the most that any of {self.providers} asks"


@dataclass(frozen=True, slots=True, kw_only=True)
class LikeRegion:
    """Another region as seen from one: how far its prices are from those here, and what they are multiplied with."""

    distance: Decimal
    services: int
    name: str
    factor: Decimal


Tiers = tuple["Price", ...]  # of one region, ascending
Shape = tuple[str, tuple[Decimal, ...]]  # the unit, and where tiers begin


@final
class Estimates:
    """The estimates of one price list, each made when it is first asked for."""

    def __init__(self, prices: RegionalPrices) -> None:
        self._prices = prices
        self._known: dict[tuple[str, str], Mapping[str, Tiers]] = {}
        self._alike: dict[tuple[str, str, str], tuple[LikeRegion, ...]] = {}
        self._found: dict[tuple[str, str, str], Estimate | None] = {}
        self._bounds: dict[str, CommodityBound | None] = {}

    def find(self, *, provider: str, item: str, region: str) -> Estimate | None:
        """The estimate of a service that has no price in a region; None where the rule gives none."""
        key = (provider, item, region)
        if key not in self._found:
            is_sold_there = item in SERVICES and (provider, region) in self._prices.places()
            self._found[key] = self._make(*key) if is_sold_there else None
        return self._found[key]

    def bound(self, *, provider: str, item: str) -> CommodityBound | None:
        """The most that a commodity may cost at a provider that sells something; None where that is not known."""
        if item not in COMMODITIES or all(name != provider for name, _ in self._prices.places()):
            return None
        if item not in self._bounds:
            self._bounds[item] = self._bound(item)
        return self._bounds[item]

    def _bound(self, item: str) -> CommodityBound | None:
        sellers = sorted({name for name, _ in self._prices.places()})
        known = {name: self._prices.list_prices(provider=name, item=item) for name in sellers}
        prices = [price for found in known.values() for price in found]
        units = {price.unit for price in prices}
        if sum(bool(found) for found in known.values()) < LEAST_PROVIDERS or len(units) != 1:
            return None
        most = max(price.usd for price in prices)
        return CommodityBound(usd_per_unit=most, unit=units.pop(), providers=sum(bool(each) for each in known.values()))

    def find_known(self, *, provider: str, item: str) -> Mapping[str, Tiers]:
        """Region to the tiers of an item that is priced region by region."""
        key = (provider, item)
        if key not in self._known:
            rows: dict[str, list[Price]] = {}
            for price in self._prices.list_prices(provider=provider, item=item):
                if price.region != EVERYWHERE:
                    rows.setdefault(price.region, []).append(price)
            tiers = {region: tuple(sorted(found, key=attrgetter("above"))) for region, found in rows.items()}
            self._known[key] = {region: found for region, found in tiers.items() if found[0].above == ZERO}
        return self._known[key]

    def _make(self, provider: str, item: str, region: str) -> Estimate | None:
        others = _of_common_shape(
            {name: tiers for name, tiers in self.find_known(provider=provider, item=item).items() if name != region}
        )
        if len(others) < LEAST_REGIONS:
            return None
        near = self.like_regions(provider=provider, region=region, without=item)
        references = [each for each in near if each.name in others][:REFERENCES]
        tiers = tuple(_tiers(others, references))
        if not any(tier.usd.max for tier in tiers):
            return None  # free in the others: that it is free here as well, no row says
        return Estimate(
            unit=next(iter(others.values()))[0].unit,
            tiers=tiers,
            regions=len(others),
            references=tuple(each.name for each in references),
            services=min((each.services for each in references), default=0),
            as_of=min(price.as_of for found in others.values() for price in found if price.as_of),
        )

    def like_regions(self, *, provider: str, region: str, without: str) -> tuple[LikeRegion, ...]:
        """The provider's other regions, those first whose prices of other services are most like those of one."""
        # Where the item has no price here, it is in no ratio either: one answer then serves every item.
        item = without if region in self.find_known(provider=provider, item=without) else ""
        key = (provider, region, item)
        if key not in self._alike:
            ratios: dict[str, list[Decimal]] = {}
            for service in sorted(SERVICES - {item}):
                known = self.find_known(provider=provider, item=service)
                here = known[region][0].usd if region in known else ZERO
                for name, tiers in known.items() if here else ():
                    if name != region and tiers[0].usd:
                        ratios.setdefault(name, []).append(here / tiers[0].usd)
            alike = (_likeness(name, found) for name, found in ratios.items())
            self._alike[key] = tuple(sorted(alike, key=lambda each: (each.distance, -each.services, each.name)))
        return self._alike[key]


def _of_common_shape(known: Mapping[str, Tiers]) -> Mapping[str, Tiers]:
    """The regions whose tiers begin where those of most begin, counted in the same unit; of two, the one with fewer."""
    shapes = {region: _shape(tiers) for region, tiers in known.items()}
    counts = Counter(shapes.values())
    common = min(counts, key=lambda shape: (-counts[shape], len(shape[1]), shape), default=None)
    return {region: tiers for region, tiers in known.items() if shapes[region] == common}


def _shape(tiers: Tiers) -> Shape:
    return tiers[0].unit, tuple(price.above for price in tiers)


def _likeness(name: str, ratios: Sequence[Decimal]) -> LikeRegion:
    """A ratio of 2 and one of a half are equally far from 1."""
    distance = sum((max(ratio, 1 / ratio) - 1 for ratio in ratios), start=ZERO) / len(ratios)
    return LikeRegion(distance=distance, services=len(ratios), name=name, factor=median(ratios))


def _tiers(known: Mapping[str, Tiers], references: Sequence[LikeRegion]) -> Iterable[EstimatedTier]:
    """Each tier of the regions together."""
    for at, first in enumerate(next(iter(known.values()))):
        every = [tiers[at].usd for tiers in known.values()]
        likely = [known[each.name][at].usd * each.factor for each in references] or every
        expected = min(max(_SHORT.plus(median(likely)), min(every)), max(every))
        yield EstimatedTier(first.above, Range(min(every), expected, max(every)))
