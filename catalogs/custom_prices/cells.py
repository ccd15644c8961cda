"""One row of an own price book as text: what each cell may say, and every fault of the cells of a row."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.parsing import COLUMNS, EVERYWHERE, LIST, unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    Cells = Mapping[str, str]

_PLAIN: Final = re.compile(r"[0-9]{1,7}(\.[0-9]{1,12})?")
_QUANTITY: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6})?")
_CHANGE: Final = re.compile(r"(?P<sign>[+-]?)(?P<percent>[0-9]{1,4}(\.[0-9]{1,6})?)%")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HIGHEST_PERCENT: Final = Decimal(900)  # ten times the list price; beyond it the price itself is clearer
_SEPARATORS: Final = ";\t|"
_SHOWN: Final = 12
# Prices alone say nothing of memory, network, or where data lies, by which machines and regions are chosen.
_ADDS_NOTHING: Final = "an own price book adds no {what}; add its facts to catalogs/{file} first"
_ONE: Final = Decimal(1)
_WHOLE: Final = Decimal(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomPriceVocabulary:
    """The words that a row may use, and the day on which the book is read.

    Args:
        purchases: by provider; so are `machines` and `regions`.
        today: no row may be dated after it; None where no day is known.
    """

    providers: AbstractSet[str]
    services: AbstractSet[str]
    purchases: Callable[[str], AbstractSet[str]]
    machines: Callable[[str], AbstractSet[str]]
    regions: Callable[[str], AbstractSet[str]]
    today: date | None = None

    def remembered(self) -> CustomPriceVocabulary:
        """The same words, looked up once for each provider: a book has thousands of rows of few providers."""
        return replace(
            self, purchases=cache(self.purchases), machines=cache(self.machines), regions=cache(self.regions)
        )


def header_faults(cells: Sequence[str] | None) -> Iterator[str]:
    """What is wrong with the first line of a book."""
    if cells is None:
        yield f"the file is empty: the first line must be {','.join(COLUMNS)}"
        return
    if list(cells) == list(COLUMNS):
        return
    yield f"the first line must be {','.join(COLUMNS)}"
    separator = next((each for each in _SEPARATORS if len(cells) == 1 and each in cells[0]), "")
    if separator:
        yield f"columns are separated by {separator!r} here; a price book separates them by commas"
        return
    if "currency" in cells:
        yield "there is no column for a currency: every price is in USD"
    missing = [column for column in COLUMNS if column not in cells]
    if missing:
        yield f"missing: {', '.join(missing)}"


def cell_faults(cells: Cells, known: CustomPriceVocabulary) -> list[str]:
    """Every fault of one row by itself."""
    unprintable = [column for column, text in cells.items() if not text.isprintable()]
    if unprintable:
        return [f"{', '.join(unprintable)}: no control characters"]
    faults = [*_word_faults(cells, known), *_number_faults(cells), *_day_faults(cells["as_of"], known.today)]
    if not cells["source"]:
        faults.append("source is missing: name the contract or letter that this price stands in")
    return [*faults, *_unit_faults(cells)]


def parse_factor(text: str) -> Decimal | None:
    """The factor on the list price that "-12%" means; None where the text is a price.

    Raises:
        ValueError: no sign, no change, more than the whole price, or more than ten times it.
    """
    if not text.endswith("%"):
        return None
    found = _CHANGE.fullmatch(text)
    if found is None:
        raise ValueError(f"usd {text!r} is no change of a price: write -12% or +5%")
    percent = Decimal(found["percent"])
    if not found["sign"]:
        raise ValueError(f"usd {text} has no sign: write -{text} for a discount, +{text} for a surcharge")
    if not percent:
        raise ValueError(f"usd {text} changes nothing")
    if found["sign"] == "-" and percent > _WHOLE:
        raise ValueError(f"usd {text} takes off more than the whole price")
    if percent > _HIGHEST_PERCENT:
        raise ValueError(f"usd {text} is more than ten times the list price: give the price itself")
    return _ONE + (-percent if found["sign"] == "-" else percent) / _WHOLE


def quantity(text: str) -> Decimal:
    """Where a tier starts.

    Raises:
        ValueError: not a plain number.
    """
    value = parsing.money(text)
    if not _QUANTITY.fullmatch(text):
        raise ValueError(f"above {text!r}: write a plain number such as 10240")
    return value


def _word_faults(cells: Cells, known: CustomPriceVocabulary) -> Iterator[str]:
    provider, item, region, purchase = (cells[column] for column in COLUMNS[:4])
    if provider not in known.providers:
        yield _unknown("provider", provider, known.providers)
        return
    if item not in (EVERYWHERE, *known.services) and item not in known.machines(provider):
        near = _near(item, known.services | known.machines(provider))
        said = f"unknown item {item!r} of {provider}: neither a machine nor a service word{near}"
        yield f"{said} ({_ADDS_NOTHING.format(what='machine', file=f'{provider}/machines.csv')})"
    if not region:
        yield "region is missing: name one, or * for every region"
    elif region != EVERYWHERE and region not in known.regions(provider):
        said = _unknown(f"region of {provider}", region, known.regions(provider))
        yield f"{said} ({_ADDS_NOTHING.format(what='region', file='regions.csv')})"
    if purchase == EVERYWHERE:
        return
    if purchase not in known.purchases(provider):
        yield _unknown("purchase", purchase, known.purchases(provider))
    elif item in known.services and purchase != LIST:
        yield f"purchase {purchase!r} of a service: a service has {LIST!r}, only machines are bought in several ways"
    elif purchase == LIST and item in known.machines(provider):
        yield f"purchase {LIST!r} of a machine: name how it is bought, as in on_demand"


def _unknown(what: str, word: str, known: AbstractSet[str]) -> str:
    near = _near(word, known)
    listed = ", ".join(sorted(known)[:_SHOWN]) + (f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else "")
    return f"unknown {what} {word!r}{near}" if near else f"unknown {what} {word!r}: known are {listed}"


def _near(word: str, known: AbstractSet[str]) -> str:
    found = get_close_matches(word, sorted(known), n=1)
    return f'; did you mean "{found[0]}"?' if found else ""


def _number_faults(cells: Cells) -> Iterator[str]:
    try:
        yield from _usd_faults(cells)
    except ValueError as fault:
        yield str(fault)
    try:
        if cells["above"]:
            quantity(cells["above"])
    except ValueError as fault:
        yield str(fault)


def _usd_faults(cells: Cells) -> Iterator[str]:
    usd = cells["usd"]
    if not usd:
        yield "usd is missing: give a price, or a change such as -12%"
        return
    factor = parse_factor(usd)
    is_free = not factor if factor is not None else not parsing.money(usd)
    if factor is None and not _PLAIN.fullmatch(usd):
        yield f"usd {usd!r}: write a plain number below 10,000,000, such as 22.40"
    if is_free and cells["purchase"] != LIST:
        yield f"usd {usd} would make machines free: only a service (purchase {LIST!r}) may cost nothing"


def _day_faults(text: str, today: date | None) -> Iterator[str]:
    if text in ("", "unknown"):
        return
    try:
        day = date.fromisoformat(text)
    except ValueError as fault:
        yield str(fault)
        return
    if not _DAY.fullmatch(text):
        yield f"as_of {text!r}: write the day as 2026-10-24"
    elif today is not None and day > today:
        yield f"as_of {text} is after {today}: a price of the future is none yet"


def _unit_faults(cells: Cells) -> Iterator[str]:
    """A price must say what it is per, and that must be what the item is counted in."""
    if cells["usd"].endswith("%"):
        return  # judged by the rows of the list that it changes
    if cells["item"] == EVERYWHERE:
        yield "a price of every item is per nothing: name the item, or give a change such as -12%"
        return
    unit = unit_of(cells["item"])
    if not cells["unit"]:
        yield f"unit is missing: {cells['item']} is priced per {unit!r}"
    elif cells["unit"] != unit:
        yield f"unit {cells['unit']!r}: {cells['item']} is priced per {unit!r}; convert the price to that unit"
