"""Accepted prices put among the old rows: the texts of the files that change."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.integrity import HEADER
from operations.price_refresh.gates import AGREEMENT, WRITTEN
from operations.price_refresh.model import spell_amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from catalogs.model import Source
    from catalogs.refreshed.layers import CatalogLayers
    from operations.price_refresh.gates import JudgedPrice, JudgedSection, PriceKey

SOURCES: Final = "sources.csv"
SECONDS: Final = "second_source.csv"


@dataclass(frozen=True, slots=True)
class PickedPrices:
    """One price for each key, and those of other sources for the same keys, which check it.

    Args:
        winners: what is written.
        others: the rest, of other sources than the winner's.
    """

    winners: Mapping[PriceKey, JudgedPrice]
    others: Mapping[PriceKey, Sequence[JudgedPrice]]

    def find_differing(self, key: PriceKey) -> tuple[JudgedPrice, ...]:
        """Prices of other sources that do not agree with the winner."""
        won = self.winners[key].tiers[0].amount
        others = self.others.get(key, ())
        return tuple(each for each in others if abs(each.tiers[0].amount - won) > AGREEMENT * won)

    def describe_doubts(self, key: PriceKey) -> str:
        """Which other sources say something else, those of this run in the place of what they said before."""
        asked = {each.source.id for each in self.others.get(key, ())}
        kept = [flag for flag in self.winners[key].flags if flag.partition(",")[0].partition(" ")[0] not in asked]
        new = [f"{each.source.id} says {spell_amount(each.tiers[0].amount)}" for each in self.find_differing(key)]
        return "; ".join([*kept, *new])


def pick_prices(sections: Iterable[JudgedSection]) -> PickedPrices:
    """The later date wins, then the lower rank, then the earlier section."""
    found: dict[PriceKey, list[tuple[tuple[date, int], JudgedPrice]]] = {}
    for section in sections:
        for price in () if section.refused else section.prices:
            if price.verdict in WRITTEN:
                order = (min(each.as_of for each in price.tiers), -section.rank)
                found.setdefault(price.key, []).append((order, price))
    winners = {key: max(prices, key=lambda each: each[0])[1] for key, prices in found.items()}
    others = {
        key: [price for _, price in prices if price.source.id != winners[key].source.id]
        for key, prices in found.items()
        if len(prices) > 1
    }
    return PickedPrices(winners, others)


def merge_texts(layers: CatalogLayers, picked: PickedPrices) -> dict[str, str]:
    """The new texts of the files that change, by their path in the catalog."""
    texts: dict[str, str] = {}
    for provider in sorted({key[0] for key in picked.winners}):
        name, seconds = f"{provider}/prices.csv", f"{provider}/{SECONDS}"
        texts[name] = _merge_prices(_read(layers, name), provider, picked.winners)
        if (layers.root / seconds).exists():
            texts[seconds] = _merge_seconds(_read(layers, seconds), provider, picked)
    differing = (price for key in picked.winners for price in picked.find_differing(key))
    texts[SOURCES] = _merge_sources(_read(layers, SOURCES), [*picked.winners.values(), *differing])
    return {name: text for name, text in texts.items() if text != _read(layers, name)}


def _merge_seconds(text: str, provider: str, picked: PickedPrices) -> str:
    """What other sources say of the prices that are written, where they disagree; what they said before goes."""
    header, *old = text.splitlines()
    renewed = {
        (key, price.source.id)
        for key, won in picked.winners.items()
        for price in (won, *picked.others.get(key, ()))
        if key[0] == provider
    }
    kept = [line for line in old if (_key(line), line.rsplit(",", 2)[1]) not in renewed]
    new = [
        ",".join((*key, spell_amount(price.tiers[0].amount), price.source.id, str(price.tiers[0].as_of)))
        for key in picked.winners
        if key[0] == provider
        for price in picked.find_differing(key)
    ]
    return "\n".join((header, *sorted(kept + new))) + "\n"


def _read(layers: CatalogLayers, name: str) -> str:
    return layers.resolve(layers.root / name).read_text(encoding="utf-8")


def _merge_prices(text: str, provider: str, winners: Mapping[PriceKey, JudgedPrice]) -> str:
    _, *old = text.splitlines()
    kept = [line for line in old if _key(line) not in winners]
    new = [line for key, price in winners.items() if key[0] == provider for line in _spell_lines(price)]
    return "\n".join((HEADER, *sorted(kept + new))) + "\n"


def _key(line: str) -> PriceKey:
    provider, item, region, purchase, _ = line.split(",", 4)
    return provider, item, region, purchase


def _spell_lines(price: JudgedPrice) -> Iterable[str]:
    for tier in price.tiers:
        cells = (
            tier.unit,
            spell_amount(tier.amount),
            spell_amount(tier.above),
            (tier.source or price.source).id,
            str(tier.as_of),
        )
        yield ",".join((*price.key, *cells))


def _merge_sources(text: str, winners: Iterable[JudgedPrice]) -> str:
    """The sources with those of the winners, each dated by the newest of its rows."""
    named: dict[str, tuple[Source, date]] = {}
    for tier, price in ((tier, each) for each in winners for tier in each.tiers):
        source = tier.source or price.source
        held = named.get(source.id)
        named[source.id] = (source, max(tier.as_of, held[1]) if held else tier.as_of)
    header, *lines = text.splitlines()
    kept = {line.partition(",")[0]: line for line in lines}
    for id_, (source, day) in named.items():
        before = parsing.day(next(csv.reader([kept[id_]]))[3]) if id_ in kept else None
        newest = max(day, before) if before else day
        row = io.StringIO()
        csv.writer(row, lineterminator="").writerow((id_, source.text, source.url, newest, source.method.value, ""))
        kept[id_] = row.getvalue()
    return "\n".join((header, *(kept[id_] for id_ in sorted(kept)))) + "\n"
