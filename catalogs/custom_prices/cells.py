"""One row of an own price book as text: what each cell may say, and every fault of the cells of a row."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from catalogs import parsing
from catalogs.custom_prices.units import convert_price, list_units
from catalogs.model import UNNAMED_MACHINE
from catalogs.parsing import EVERYWHERE, LIST, unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    Cells = Mapping[str, str]

ON_TOP: Final = "yes"
AS_VALUES: Final = "save the values of the sheet, not its formulas"
_PLAIN: Final = re.compile(r"[0-9]{1,7}(\.[0-9]{1,12})?")
_QUANTITY: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6})?")
_CHANGE: Final = re.compile(r"(?P<sign>[+-]?)(?P<percent>[0-9]{1,4}(\.[0-9]{1,6})?)%")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FORMULA: Final = re.compile(r"[=@#]|[+-](?![0-9.])")
_HIGHEST_PERCENT: Final = Decimal(900)  # ten times the list price; beyond it the price itself is clearer
_MOST_USD: Final = Decimal(10) ** 7
_SHOWN: Final = 12
# Prices alone say nothing of memory, network, or where data lies, by which machines and regions are chosen.
_ADDS_NOTHING: Final = "an own price book adds no {what}; add its facts to catalogs/{file} first"
_ONE: Final = Decimal(1)
_WHOLE: Final = Decimal(100)
# What people write in place of a plain number, and what to write instead.
_NOT_PLAIN: Final = (
    (re.compile(r"[0-9]{1,3}([ ,'\u2019\u00a0\u202f][0-9]{3})+(\.[0-9]+)?"), "thousands separators: write 1234.50"),
    (re.compile(r"[0-9]{1,3}(\.[0-9]{3})+,[0-9]+"), "thousands separators: write 1234.50"),
    (re.compile(r"[0-9]+,[0-9]+"), "a decimal comma: write 22.40"),
    (re.compile(r"(?i)(\$|us\$|usd|€|eur|£|gbp).*|.*(\$|usd|€|eur|£|gbp)"), "the number alone; every price is in USD"),
    (re.compile(r"(?i)free|included|incl\.?"), "write 0 for a service that costs nothing"),
    (re.compile(r"(?i)n/?a|tbd|tbc|none|on request|ask|[-\u2013\u2014?x]+"), "leave it empty where there is no price"),
)


class CellFault(NamedTuple):
    """What is wrong with a cell."""

    column: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomPriceVocabulary:
    """The words that a row may use, and the day on which the book is read.

    Args:
        purchases: by provider; so are `machines`, `regions`, `families` and `reserved`.
        families: accelerator family by machine.
        accelerators: of a machine, by provider and name; 0 for none.
        reserved: purchases for a term.
        today: no row may be dated after it; None where no day is known.
    """

    providers: AbstractSet[str]
    services: AbstractSet[str]
    purchases: Callable[[str], AbstractSet[str]]
    machines: Callable[[str], AbstractSet[str]]
    regions: Callable[[str], AbstractSet[str]]
    families: Callable[[str], Mapping[str, str]]
    accelerators: Callable[[str, str], int]
    reserved: Callable[[str], AbstractSet[str]]
    today: date | None = None

    def memoize(self) -> CustomPriceVocabulary:
        """The same words, looked up once for each provider: a book has thousands of rows of few providers."""
        return replace(
            self,
            purchases=cache(self.purchases),
            machines=cache(self.machines),
            regions=cache(self.regions),
            families=cache(self.families),
            reserved=cache(self.reserved),
        )


def cell_faults(cells: Cells, known: CustomPriceVocabulary) -> list[CellFault]:
    """Every fault of one row by itself; of a row that is not filled in yet, of its words alone."""
    unprintable = [column for column, text in cells.items() if not text.isprintable()]
    if unprintable:
        return [CellFault(unprintable[0], f"{', '.join(unprintable)}: no control characters")]
    found = [
        *(
            CellFault(column, f"{column} is a formula", AS_VALUES)
            for column, text in cells.items()
            if text.startswith("=") and column != "usd"
        ),
        *_word_faults(cells, known),
    ]
    if not cells["usd"]:
        return found
    return [*found, *_number_faults(cells), *_unit_faults(cells, known), *_day_faults(cells, known.today)]


def is_change(cells: Cells) -> bool:
    return cells["usd"].endswith("%")


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


def _word_faults(cells: Cells, known: CustomPriceVocabulary) -> Iterator[CellFault]:
    provider, region = cells["provider"], cells["region"]
    if provider not in known.providers:
        yield _unknown("provider", "provider", provider, known.providers)
        return
    yield from _item_faults(cells, known)
    if not region:
        yield CellFault("region", "region is missing: name one, or * for every region")
    elif region != EVERYWHERE and region not in known.regions(provider):
        fault = _unknown("region", f"region of {provider}", region, known.regions(provider))
        yield fault._replace(message=f"{fault.message} ({_ADDS_NOTHING.format(what='region', file='regions.csv')})")
    yield from _purchase_faults(cells, known)
    if cells["on_top"] not in ("", ON_TOP, "no"):
        yield CellFault("on_top", f"on_top {cells['on_top']!r}: write yes, or leave it empty")
    elif cells["on_top"] == ON_TOP and cells["usd"] and not is_change(cells):
        yield CellFault("on_top", "on_top: only a change such as -12% applies on top of others")


def _item_faults(cells: Cells, known: CustomPriceVocabulary) -> Iterator[CellFault]:
    provider, item = cells["provider"], cells["item"]
    if item in (EVERYWHERE, UNNAMED_MACHINE, *known.services) or item in known.machines(provider):
        return
    every = known.services | known.machines(provider)
    families = set(known.families(provider).values())
    is_several = item in families or (item.endswith(EVERYWHERE) and any(each.startswith(item[:-1]) for each in every))
    if is_several:
        if cells["usd"] and not is_change(cells):
            yield CellFault("item", f"{item} stands for several items: a price needs one", "give a change such as -12%")
        return
    said = f"unknown item {item!r} of {provider}: neither a machine nor a service word{_near(item, every | families)}"
    yield CellFault("item", f"{said} ({_ADDS_NOTHING.format(what='machine', file=f'{provider}/machines.csv')})")


def _purchase_faults(cells: Cells, known: CustomPriceVocabulary) -> Iterator[CellFault]:
    provider, item, purchase = cells["provider"], cells["item"], cells["purchase"]
    if purchase == EVERYWHERE:
        return
    if purchase not in known.purchases(provider):
        yield _unknown("purchase", "purchase", purchase, known.purchases(provider))
    elif item in known.services and purchase != LIST:
        said = f"purchase {purchase!r} of a service: a service has {LIST!r}, only machines are bought in several ways"
        yield CellFault("purchase", said)
    elif purchase == LIST and (item == UNNAMED_MACHINE or item in known.machines(provider)):
        yield CellFault("purchase", f"purchase {LIST!r} of a machine: name how it is bought, as in on_demand")


def _unknown(column: str, what: str, word: str, known: AbstractSet[str]) -> CellFault:
    near = _near(word, known)
    listed = ", ".join(sorted(known)[:_SHOWN]) + (f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else "")
    return CellFault(
        column, f"unknown {what} {word!r}{near}" if near else f"unknown {what} {word!r}: known are {listed}"
    )


def _near(word: str, known: AbstractSet[str]) -> str:
    found = get_close_matches(word, sorted(known), n=1)
    return f'; did you mean "{found[0]}"?' if found else ""


def _number_faults(cells: Cells) -> Iterator[CellFault]:
    try:
        yield from _usd_faults(cells)
    except ValueError as fault:
        yield CellFault("usd", str(fault))
    try:
        if cells["above"]:
            quantity(cells["above"])
    except ValueError as fault:
        yield CellFault("above", str(fault))


def _usd_faults(cells: Cells) -> Iterator[CellFault]:
    usd = cells["usd"]
    if _FORMULA.match(usd) and len(usd) > 1:
        yield CellFault(
            "usd", f"usd {usd!r} is a formula or its error", "save the values of the sheet, not its formulas"
        )
        return
    hint = next((hint for pattern, hint in _NOT_PLAIN if pattern.fullmatch(usd)), "")
    if hint:
        yield CellFault("usd", f"usd {usd!r} is no plain number", hint)
        return
    factor = parse_factor(usd)
    is_free = not factor if factor is not None else not parsing.money(usd)
    if factor is None and not _PLAIN.fullmatch(usd):
        yield CellFault("usd", f"usd {usd!r}: write a plain number below 10,000,000, such as 22.40")
    if is_free and cells["purchase"] != LIST:
        said = f"usd {usd} would make machines free: only a service (purchase {LIST!r}) may cost nothing"
        yield CellFault("usd", said)


def _day_faults(cells: Cells, today: date | None) -> Iterator[CellFault]:
    if cells["as_of"] in ("", "unknown"):
        if not is_change(cells):
            yield CellFault("as_of", "as_of is missing: a price is of a day, as in 2026-10-24")
    else:
        day = yield from _parse_day("as_of", cells["as_of"])
        if day is not None and today is not None and day > today:
            yield CellFault("as_of", f"as_of {cells['as_of']} is after {today}: a price of the future is none yet")
    if cells["valid_until"]:
        last = yield from _parse_day("valid_until", cells["valid_until"])
        if last is not None and _DAY.fullmatch(cells["as_of"]) and cells["valid_until"] < cells["as_of"]:
            yield CellFault("valid_until", f"valid_until {last} is before as_of {cells['as_of']}")


def _parse_day(column: str, text: str) -> Generator[CellFault, None, date | None]:
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError as fault:
        yield CellFault(column, f"{column} {text!r}: {fault}")
        return None
    yield CellFault(column, f"{column} {text!r}: write the day as 2026-10-24", "format the column as text")
    return None


def _unit_faults(cells: Cells, known: CustomPriceVocabulary) -> Iterator[CellFault]:
    """A price must say what it is per, in a unit that is converted to the one its item is counted in."""
    item, unit = cells["item"], cells["unit"]
    if is_change(cells):
        return  # judged by the rows of the list that it changes
    if item == EVERYWHERE:
        said = "a price of every item is per nothing: name the item, or give a change such as -12%"
        yield CellFault("item", said)
        return
    count = known.accelerators(cells["provider"], item)
    units = list_units(item, accelerators=count)
    if not unit:
        yield CellFault("unit", f"unit is missing: {item} is priced per {unit_of(item)!r}")
    elif unit not in units:
        said = f"unit {unit!r}: {item} is priced per {unit_of(item)!r}"
        yield CellFault("unit", said, f"one of {', '.join(units)}; convert the price to that unit")
    elif _PLAIN.fullmatch(cells["usd"]):
        usd = convert_price(Decimal(cells["usd"]), unit=unit, item=item, accelerators=count)
        if usd >= _MOST_USD or (not usd and Decimal(cells["usd"])):
            yield CellFault("usd", f"usd {cells['usd']} per {unit} is {usd:f} per {unit_of(item)}: out of bounds")
