"""Prices by key. A book is its text: sorted lines, searched in halves, turned into facts only when asked for.

Over 40,000 prices stay plain strings; parsing them all would cost more time than a whole quote may take.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, final

from catalogs import parsing
from catalogs.ages import Freshness, judge_age
from catalogs.model import OWN_PREFIX, AmbiguousPriceError, Price, UnpricedError
from catalogs.offers import describe_disagreement
from catalogs.parsing import EVERYWHERE, LIST, within

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from datetime import date

    from catalogs.custom_prices.rows import OwnPrices
    from catalogs.integrity import Words
    from catalogs.model import Source
    from catalogs.offers import SecondOpinion


_REGIONS_NAMED = 5


@final
class PriceBook:
    """One price book.

    Args:
        name: "current", or the date of a snapshot.
        lines: price rows as comma separated text in the order of `rows.COLUMNS`, sorted.
        digest: SHA-256 in hex over every catalog file that was read.
        words: what the rows say, for what is asked of all of them at once.
        sources: by id, for the date of rows that have none of their own.
        own: the customer's own prices and discounts, if any.
        seconds_of: what other sources say of "provider,item,region,purchase".
    """

    def __init__(
        self,
        *,
        name: str,
        lines: Sequence[str],
        words: Words,
        digest: str,
        sources: Mapping[str, Source],
        own: OwnPrices | None,
        seconds_of: Callable[[str], Sequence[SecondOpinion]] = lambda _: (),
    ) -> None:
        self.name = name
        self.digest = digest
        self._lines = lines
        self.words = words
        self._sources = sources
        self._own = own
        self._seconds_of = seconds_of
        self._tiers: dict[tuple[str, str, str, str], tuple[Price, ...]] = {}

    @cached_property
    def newest(self) -> date | None:
        """The latest date of any row; None where no row is dated."""
        return self._newest(self.words.sources)

    def _newest(self, sources: Iterable[tuple[str, str]]) -> date | None:
        dates = (self._day(source=source, as_of=as_of) for source, as_of in sources)
        return max((each for each in dates if each), default=None)

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST) -> tuple[Price, ...]:
        """Every tier of one key, ascending by `above`: the region's own rows, else those that hold everywhere.

        Undated rows of a region give way to dated ones that hold everywhere.

        Raises:
            UnpricedError: no row; names the key and the regions that have one.
            AmbiguousPriceError: two rows for the same tier.
        """
        found = self.find_tiers(provider=provider, item=item, region=region, purchase=purchase)
        if not found:
            raise UnpricedError(self._describe_missing(provider=provider, item=item, region=region, purchase=purchase))
        return found

    def find_tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST) -> tuple[Price, ...]:
        """As `tiers`; empty where there is no row, without looking for what to say of it.

        Raises:
            AmbiguousPriceError: two rows for the same tier.
        """
        key = (provider, item, region, purchase)
        if key not in self._tiers:
            every = (within(self._lines, f"{provider},{item},{place},{purchase},") for place in (region, EVERYWHERE))
            prices: list[Price] = []
            for found in every:
                tiers = sorted(map(self.price, found), key=attrgetter("above"))
                if tiers and not (prices and tiers[0].undated):
                    prices = tiers
                if prices and not prices[0].undated:
                    break
            if len({price.above for price in prices}) < len(prices):
                count = len(prices)
                raise AmbiguousPriceError(f"{provider} {item} in {region} ({purchase}): {count} rows, one may match")
            self._tiers[key] = self._mark_disagreement(prices) if purchase == LIST else tuple(prices)
        return self._tiers[key]

    def _mark_disagreement(self, tiers: Sequence[Price]) -> tuple[Price, ...]:
        """The tiers of a service, marked where another source says something else; an offer of a machine has a flag."""
        if not tiers or (tiers[0].source.startswith(OWN_PREFIX) and tiers[0].list_usd is None):
            return tuple(tiers)
        of = tiers[0]
        seconds = self._seconds_of(f"{of.provider},{of.item},{of.region},{of.purchase}")
        told = describe_disagreement([each.list_usd or each.usd for each in tiers], seconds)
        return tuple(replace(each, disagreement=told) for each in tiers) if told else tuple(tiers)

    def one(self, *, provider: str, item: str, region: str, purchase: str = LIST) -> Price:
        """The flat price of one key.

        Raises:
            UnpricedError: no row.
            AmbiguousPriceError: the price comes in tiers, or two rows match.
        """
        prices = self.tiers(provider=provider, item=item, region=region, purchase=purchase)
        flat, *more = prices
        if more or flat.above:
            raise AmbiguousPriceError(f"{provider} {item} in {region} ({purchase}) has tiers: no single price")
        return flat

    def of_item(self, *, provider: str, item: str, region: str | None = None) -> list[Price]:
        """Every price of one item, in every region and purchase, or in one region."""
        prefix = f"{provider},{item}," + (f"{region}," if region else "")
        return [self.price(line) for line in within(self._lines, prefix)]

    def rows_by_source(self) -> Mapping[str, int]:
        """How many rows name each source."""
        return Counter(line.rsplit(",", 2)[1] for line in self._lines)

    def extent(self, provider: str) -> tuple[int, date | None]:
        """How many rows a provider has, and the latest date among them."""
        lines = within(self._lines, f"{provider},")
        tails = (line.rsplit(",", 2) for line in lines)
        return len(lines), self._newest({(source, as_of) for _, source, as_of in tails})

    def lines_of(self, *, provider: str, item: str, region: str | None = None) -> Sequence[str]:
        """Price rows of one item, every purchase, in one region or in all."""
        return within(self._lines, f"{provider},{item}," + (f"{region}," if region else ""))

    def lines_of_provider(self, provider: str) -> Sequence[str]:
        """Every price row of a provider."""
        return within(self._lines, f"{provider},")

    def lines_in(self, *, provider: str, region: str) -> list[str]:
        """Price rows of a provider in one region, every item; faster than to search for each item."""
        mark = f",{region},"
        lines = within(self._lines, f"{provider},")
        return [line for line in lines if mark in line and line.split(",", 3)[2] == region]

    def roughly(self, line: str) -> float:
        """USD of a price row, near enough to order rows by."""
        return float(self.price(line).usd if self._own else line.split(",", 6)[5])

    def places_with(self, purchases: Container[str]) -> set[tuple[str, str]]:
        """Provider and region of every price for one of these purchase words."""
        return {(provider, region) for word, provider, region in self.words.purchases if word in purchases}

    def price(self, line: str) -> Price:
        """A line as a fact, with the customer's own terms applied.

        Raises:
            ValueError: a column is not what its name says.
        """
        price = self._read(line)
        return self._own.apply_to(price) if self._own else price

    def list_prices(self, *, provider: str, item: str) -> tuple[Price, ...]:
        """The published prices of a service, in every region, that may say something of a region without one.

        Left out are the customer's own, whose terms hold where they were agreed; undated ones; and those past their
        age limit on the day of the book's newest price, so that no answer moves with the clock alone.
        """
        every = (self._read(line) for line in self.lines_of(provider=provider, item=item))
        return tuple(
            each
            for each in every
            if each.purchase == LIST
            and each.as_of is not None
            and not each.source.startswith(OWN_PREFIX)
            and judge_age(each, today=self.newest or each.as_of, machine=False) is not Freshness.REFUSED
        )

    def places(self) -> frozenset[tuple[str, str]]:
        """Provider and region of everything that has a price; region "*" of what has the same one everywhere."""
        return self._places

    @cached_property
    def _places(self) -> frozenset[tuple[str, str]]:
        return frozenset((provider, region) for _, provider, region in self.words.purchases)

    def _read(self, line: str) -> Price:
        provider, item, region, purchase, unit, usd, above, source, as_of = line.split(",")
        day = self._day(source=source, as_of=as_of)
        return Price(
            provider=provider,
            item=item,
            region=region,
            purchase=purchase,
            unit=unit,
            usd=parsing.money(usd),
            above=parsing.money(above),
            source=source,
            as_of=day,
            entered=None if day else self._sources[source].entered,
        )

    def _day(self, *, source: str, as_of: str) -> date | None:
        return parsing.day(as_of) if as_of else self._sources[source].as_of

    def _describe_missing(self, *, provider: str, item: str, region: str, purchase: str) -> str:
        keys = [line.split(",", 4)[2:4] for line in within(self._lines, f"{provider},{item},")]
        places = sorted({place for place, word in keys if word == purchase})
        if not places:
            return f"price book {self.name} has no {purchase.replace('_', ' ')} price of {item} at {provider}"
        asked = f"no price for {provider} {item} in {region} ({purchase})"
        near = get_close_matches(region, places, n=_REGIONS_NAMED, cutoff=0.0) or places[:_REGIONS_NAMED]
        return f"{asked}: price book {self.name} has it in {', '.join(near)}"
