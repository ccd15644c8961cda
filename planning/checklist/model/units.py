"""Quantities written as text, normalised to one unit each: "2TB" to GB, "5Gbps" to Gbps, "7B" to a count."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from ipaddress import IPv4Interface, IPv4Network
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

_QUANTITY: Final = re.compile(r"(?P<number>\d{1,30}(?:\.\d{1,40})?)\s*(?P<unit>[A-Za-z/%]*)")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER: Final = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?")
# The largest of each, as a power of ten.
_MOST_GIGABYTES: Final = 15
_MOST_GIGABITS_PER_S: Final = 9
_MOST_COUNT: Final = 24
_MOST_DAYS: Final = 7
_MOST_NUMBER: Final = 12
_LONGEST_SHOWN: Final = 40  # characters of a wrong text that a message repeats

# SI prefixes are decimal, IEC prefixes binary (IEC 80000-13); everything is kept in GB of 10^9 bytes.
_GIGABYTES: Final = {
    "MB": Decimal("0.001"),
    "GB": Decimal(1),
    "TB": Decimal(1000),
    "PB": Decimal(1_000_000),
    "MiB": Decimal(2**20) / 10**9,
    "GiB": Decimal(2**30) / 10**9,
    "TiB": Decimal(2**40) / 10**9,
    "PiB": Decimal(2**50) / 10**9,
}
_GIGABITS_PER_S: Final = {"Mbps": Decimal("0.001"), "Gbps": Decimal(1), "Tbps": Decimal(1000)}
_COUNTS: Final = {
    "": Decimal(1),
    "K": Decimal(1000),
    "M": Decimal(10**6),
    "B": Decimal(10**9),
    "T": Decimal(10**12),
}
_DAYS: Final = {"h": Decimal(1) / 24, "d": Decimal(1), "w": Decimal(7)}
FIRST_YEAR: Final = 2000
LAST_YEAR: Final = 2999  # terms are counted on from a day, and a calendar ends with 9999


class QuantityError(ValueError):
    """Not a quantity; `hint` shows one."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def _parse(text: object, *, units: dict[str, Decimal], example: str, power: int) -> Decimal:
    if isinstance(text, Decimal):
        return text
    hint = f'write a quantity with its unit, as in "{example}"' if "" not in units else f'write it as in "{example}"'
    if isinstance(text, bool) or not isinstance(text, (int, float, str)):
        raise QuantityError("is not a quantity", hint=hint)
    given = _shorten(text)
    match = _QUANTITY.fullmatch(str(text).strip().replace("_", "").replace(",", ""))
    if match is None:
        raise QuantityError(f'"{given}" is not a quantity', hint=hint)
    factor = _factor(match["unit"], units=units)
    if factor is None:
        known = ", ".join(unit or "no unit" for unit in units)
        wrong = f'"{given}" has an unknown unit' if match["unit"] else f'"{given}" has no unit'
        raise QuantityError(wrong, hint=f"{hint}; units here: {known}")
    return _refuse_excess(Decimal(match["number"]) * factor, power=power)


def _refuse_excess(value: Decimal, *, power: int) -> Decimal:
    """Refuses what no cluster has, so that no product of quantities and prices outgrows a Decimal's 28 digits.

    Not as a bound of the field: that would take the place of the field's own.
    """
    if abs(value) > Decimal(10) ** power:
        raise QuantityError(f"is more than 10^{power}, which no cluster is", hint="look at the unit and the zeros")
    return value


def _shorten(text: object) -> str:
    shown = str(text)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."


def _factor(unit: str, *, units: dict[str, Decimal]) -> Decimal | None:
    if unit in units:
        return units[unit]
    matching = [factor for name, factor in units.items() if name.casefold() == unit.casefold()]
    return matching[0] if len(matching) == 1 else None


def parse_number(text: object) -> Decimal:
    """A plain number, written 0.4, 12 or "1500.50"; never a binary float's hidden digits.

    Raises:
        QuantityError: not a number, an exponent, or more than 30 digits.
    """
    if isinstance(text, Decimal):
        return text
    hint = "write a plain number, as in 0.4 or 1500"
    if isinstance(text, bool) or not isinstance(text, (int, float, str)):
        raise QuantityError("is not a number", hint=hint)
    if not _NUMBER.fullmatch(str(text)):
        raise QuantityError(f'"{_shorten(text)}" is not a number', hint=hint)
    return _refuse_excess(Decimal(str(text)), power=_MOST_NUMBER)


def refuse_truth(given: object) -> object:
    """The same, unless it is true or false, which Python would count as 1 or 0.

    Raises:
        QuantityError: true or false.
    """
    if isinstance(given, bool):
        raise QuantityError("is not a number", hint="write a whole number")
    return given


def parse_day(text: object) -> date:
    """A day from "2027-01-04", never from a number of seconds or a time of day.

    Raises:
        QuantityError: not a date, one that no calendar has, or one that months cannot be counted on from.
    """
    if isinstance(text, date) and not isinstance(text, datetime):
        return _countable(text)
    hint = "write year, month and day, as in 2027-01-04"
    if not isinstance(text, str):
        raise QuantityError("is not a date", hint=hint)
    if not _DAY.fullmatch(text):
        raise QuantityError(f'"{_shorten(text)}" is not a date', hint=hint)
    try:
        found = date.fromisoformat(text)
    except ValueError as error:
        raise QuantityError(f'"{_shorten(text)}" is a day that no calendar has', hint=hint) from error
    return _countable(found)


def _countable(day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise QuantityError(f"{day} is not between {FIRST_YEAR} and {LAST_YEAR}", hint="look at the year")
    return day


def parse_cidr(text: object) -> IPv4Network:
    """An address range from "10.64.0.0/16".

    Raises:
        QuantityError: no address, no length, or an address inside the range instead of its first.
    """
    if isinstance(text, IPv4Network):
        return text
    hint = 'write an IPv4 range, as in "10.64.0.0/16"'
    if not isinstance(text, str) or "/" not in text:
        raise QuantityError("is not an address range", hint=hint)
    try:
        address = IPv4Interface(text)
    except ValueError as error:
        raise QuantityError(f'"{_shorten(text)}" is not an address range', hint=hint) from error
    if address.ip != address.network.network_address:
        wrong = f'"{_shorten(text)}" is an address inside a range, not the range'
        raise QuantityError(wrong, hint=f'did you mean "{address.network}"?')
    return address.network


def parse_gigabytes(text: object) -> Decimal:
    """GB (10^9 bytes) from "2TB", "500 GiB", ...

    Raises:
        QuantityError: no unit, an unknown unit, or not a number.
    """
    return _parse(text, units=_GIGABYTES, example="2TB", power=_MOST_GIGABYTES)


def parse_gigabits_per_s(text: object) -> Decimal:
    """Gbit/s from "5Gbps", "800Mbps"."""
    return _parse(text, units=_GIGABITS_PER_S, example="5Gbps", power=_MOST_GIGABITS_PER_S)


def parse_count(text: object) -> Decimal:
    """A plain count from 7000000000, "7B" or "140 billion" written "140B"."""
    return _parse(text, units=_COUNTS, example="7B", power=_MOST_COUNT)


def parse_days(text: object) -> Decimal:
    """Days from "30d", "2w" or "36h"."""
    return _parse(text, units=_DAYS, example="30d", power=_MOST_DAYS)


def _text_schema(example: str, description: str) -> WithJsonSchema:
    return WithJsonSchema(
        {"type": ["string", "number"], "examples": [example], "description": description}, mode="validation"
    )


def _as_text(unit: str) -> PlainSerializer:
    """Written back with the unit it is kept in, so that what is written can be read again."""
    return PlainSerializer(lambda value: f"{format(value.normalize(), 'f')}{unit}", return_type=str, when_used="json")


_POSITIVE: Final = Field(gt=0)

Gigabytes = Annotated[
    Decimal, _POSITIVE, BeforeValidator(parse_gigabytes), _as_text("GB"), _text_schema("2TB", "a size with its unit")
]
GigabitsPerS = Annotated[
    Decimal,
    _POSITIVE,
    BeforeValidator(parse_gigabits_per_s),
    _as_text("Gbps"),
    _text_schema("5Gbps", "a rate with its unit"),
]
Count = Annotated[
    Decimal, _POSITIVE, BeforeValidator(parse_count), _as_text(""), _text_schema("7B", "a count: K, M, B, T")
]
Days = Annotated[Decimal, _POSITIVE, BeforeValidator(parse_days), _as_text("d"), _text_schema("30d", "a time: h, d, w")]
Number = Annotated[Decimal, BeforeValidator(parse_number)]
Share = Annotated[Decimal, Field(gt=0, le=1), BeforeValidator(parse_number)]
Positive = Annotated[Decimal, _POSITIVE, BeforeValidator(parse_number)]  # its bound holds beside None too
Day = Annotated[date, BeforeValidator(parse_day)]
Whole = Annotated[int, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Cidr = Annotated[IPv4Network, BeforeValidator(parse_cidr)]
