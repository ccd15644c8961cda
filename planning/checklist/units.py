"""Quantities written as text, normalised to one unit each: "2TB" to GB, "5Gbps" to Gbps, "7B" to a count."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

_QUANTITY: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[A-Za-z/%]*)")

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


def _parse(text: object, *, units: dict[str, Decimal], example: str) -> Decimal:
    if isinstance(text, Decimal):
        return text
    if isinstance(text, bool) or not isinstance(text, (int, float, str)):
        raise ValueError(f'write a quantity with its unit, as in "{example}"')
    match = _QUANTITY.fullmatch(str(text).strip().replace("_", "").replace(",", ""))
    if match is None:
        raise ValueError(f'{text!r} is not a quantity; write it as in "{example}"')
    factor = _factor(match["unit"], units=units)
    if factor is None:
        known = ", ".join(unit or "no unit" for unit in units)
        raise ValueError(f'{text!r} has no unit known here ({known}); write it as in "{example}"')
    try:
        return Decimal(match["number"]) * factor
    except InvalidOperation as error:  # pragma: no cover - the pattern admits plain numbers only
        raise ValueError(f"{text!r} is not a number") from error


def _factor(unit: str, *, units: dict[str, Decimal]) -> Decimal | None:
    if unit in units:
        return units[unit]
    matching = [factor for name, factor in units.items() if name.casefold() == unit.casefold()]
    return matching[0] if len(matching) == 1 else None


def parse_gigabytes(text: object) -> Decimal:
    """GB (10^9 bytes) from "2TB", "500 GiB", ...

    Raises:
        ValueError: no unit, an unknown unit, or not a number.
    """
    return _parse(text, units=_GIGABYTES, example="2TB")


def parse_gigabits_per_s(text: object) -> Decimal:
    """Gbit/s from "5Gbps", "800Mbps"."""
    return _parse(text, units=_GIGABITS_PER_S, example="5Gbps")


def parse_count(text: object) -> Decimal:
    """A plain count from 7000000000, "7B" or "140 billion" written "140B"."""
    return _parse(text, units=_COUNTS, example="7B")


def parse_days(text: object) -> Decimal:
    """Days from "30d", "2w" or "36h"."""
    return _parse(text, units=_DAYS, example="30d")


def _text_schema(example: str, description: str) -> WithJsonSchema:
    return WithJsonSchema(
        {"type": ["string", "number"], "examples": [example], "description": description}, mode="validation"
    )


_AS_TEXT: Final = PlainSerializer(lambda value: format(value.normalize(), "f"), return_type=str, when_used="json")
_POSITIVE: Final = Field(gt=0)

Gigabytes = Annotated[
    Decimal, _POSITIVE, BeforeValidator(parse_gigabytes), _AS_TEXT, _text_schema("2TB", "a size with its unit")
]
GigabitsPerS = Annotated[
    Decimal, _POSITIVE, BeforeValidator(parse_gigabits_per_s), _AS_TEXT, _text_schema("5Gbps", "a rate with its unit")
]
Count = Annotated[Decimal, _POSITIVE, BeforeValidator(parse_count), _AS_TEXT, _text_schema("7B", "a count: K, M, B, T")]
Days = Annotated[Decimal, _POSITIVE, BeforeValidator(parse_days), _AS_TEXT, _text_schema("30d", "a time: h, d, w")]
