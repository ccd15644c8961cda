"""Accepted prices put among the old rows: the texts of the files that change."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.integrity import HEADER
from operations.price_refresh.gates import AGREEMENT, WRITTEN
from operations.price_refresh.model import spell_amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from catalogs.model import Source
    from catalogs.refreshed.layers import CatalogLayers
    from operations.price_refresh.gates import JudgedPrice, JudgedSection, PriceKey

SOURCES: Final = "sources.csv"


def pick_winners(sections: Iterable[JudgedSection]) -> tuple[dict[PriceKey, JudgedPrice], dict[PriceKey, str]]:
    """The one price of each key that is written, and where two sources of this run say different things of it.

    The later date wins, then the lower rank, then the earlier section.
    """
    found: dict[PriceKey, tuple[tuple[date, int], JudgedPrice]] = {}
    apart: dict[PriceKey, str] = {}
    for section in sections:
        for price in () if section.refused else section.prices:
            if price.verdict not in WRITTEN:
                continue
            order = (min(each.as_of for each in price.tiers), -section.rank)
            held = found.get(price.key)
            if held:
                text = _compare(held[1], price)
                apart |= {price.key: text} if text else {}
            if not held or order > held[0]:
                found[price.key] = (order, price)
    return {key: price for key, (_, price) in found.items()}, apart


def _compare(one: JudgedPrice, other: JudgedPrice) -> str:
    first, second = one.tiers[0].amount, other.tiers[0].amount
    if not first or abs(first - second) <= AGREEMENT * first:
        return ""
    return f"{one.source.id} says {spell_amount(first)}, {other.source.id} {spell_amount(second)}"


def merge_texts(layers: CatalogLayers, winners: Mapping[PriceKey, JudgedPrice]) -> dict[str, str]:
    """The new texts of the files that change, by their path in the catalog."""
    texts = {
        f"{provider}/prices.csv": _merge_prices(_read(layers, f"{provider}/prices.csv"), provider, winners)
        for provider in sorted({key[0] for key in winners})
    }
    texts[SOURCES] = _merge_sources(_read(layers, SOURCES), winners.values())
    return {name: text for name, text in texts.items() if text != _read(layers, name)}


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
        csv.writer(row, lineterminator="").writerow((id_, source.text, source.url, newest, source.method.value))
        kept[id_] = row.getvalue()
    return "\n".join((header, *(kept[id_] for id_ in sorted(kept)))) + "\n"
