"""Rows of a catalog file as typed facts. Every fault names file and line."""

from __future__ import annotations

import csv
from bisect import bisect_left
from dataclasses import MISSING, fields
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from typing import TYPE_CHECKING, Final, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from catalogs.model import Accelerator, CatalogError, Form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    Row = Mapping[str, str]


Fact = TypeVar("Fact")

COLUMNS = ("provider", "item", "region", "purchase", "unit", "usd", "above", "source", "as_of")  # of a price file
EVERYWHERE = "*"
LIST = "list"
PRECISIONS = ("fp4", "fp8", "int8", "bf16", "fp16", "tf32", "fp32", "fp64")
_NO_DATE = ("", "unknown")
_AFTER_ANY_TEXT = "\x7f"


def read_rows(path: Path, build: Callable[[Row], Fact]) -> Iterator[Fact]:
    """The facts of one file in file order; nothing where there is no such file.

    Raises:
        CatalogError: a row cannot be built; names file, line and fault.
    """
    if not path.exists():
        return
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, restval="")
        for row in rows:
            try:
                yield build(row)
            except (ValueError, KeyError, ArithmeticError) as fault:
                raise CatalogError(f"{path}:{rows.line_num}: {fault!r} in {row}") from fault


def within(lines: Sequence[str], prefix: str) -> Sequence[str]:
    """The lines that start with `prefix`, given that `lines` are sorted."""
    return lines[bisect_left(lines, prefix) : bisect_left(lines, prefix + _AFTER_ANY_TEXT)]


@cache
def day(text: str) -> date | None:
    """An ISO date; None for "" and "unknown".

    Raises:
        ValueError: neither of these.
    """
    return None if text in _NO_DATE else date.fromisoformat(text)


def money(text: str) -> Decimal:
    """USD or another quantity as Decimal.

    Raises:
        ValueError: not a finite number, or negative.
    """
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number") from None
    if not value.is_finite():
        raise ValueError(f"{text!r} is not a finite number")
    if value < 0:
        raise ValueError(f"{text!r} is negative")
    return value


def read_amount(text: str) -> Decimal | None:
    """As `money`; None for ""."""
    return money(text) if text else None


def read_count(text: str) -> int | None:
    """A whole number; None for ""."""
    return int(text) if text else None


_READERS: Final[Mapping[object, Callable[[str], object]]] = {
    str: str,
    str | None: lambda text: text or None,
    int: int,
    int | None: read_count,
    bool: {"true": True, "false": False}.__getitem__,
    Decimal: money,
    Decimal | None: read_amount,
    date | None: day,
    tuple[str, ...]: lambda text: tuple(text.split()),
    tuple[Decimal, ...]: lambda text: tuple(map(money, text.split())),
}


@cache
def _columns(kind: type) -> tuple[tuple[str, Callable[[str], object], bool], ...]:
    """Name of each field, what reads its cell, and whether the cell may be left out."""
    types = get_type_hints(kind)
    return tuple(_column(each.name, types[each.name], optional=each.default is not MISSING) for each in fields(kind))


def _column(name: str, type_: object, *, optional: bool) -> tuple[str, Callable[[str], object], bool]:
    if get_origin(type_) is Literal:
        return name, partial(_read_word, name, get_args(type_)), False  # an empty cell is a word where "" is one
    return name, cast("Callable[[str], object]", _READERS.get(type_, type_)), optional


def _read_word(name: str, words: Sequence[str], text: str) -> str:
    if text not in words:
        raise ValueError(f"{name} is one of {words}, not {text!r}")
    return text


def build_fact(kind: type[Fact], row: Row) -> Fact:
    """A row as a dataclass whose fields are its columns, each cell read as the field's type says.

    Words that are split at spaces fill a tuple. Where a field has a default, an empty cell or no column means it; a
    field of words (`Literal`) has its column always, and "" among its words where a cell may be empty.

    Raises:
        ValueError: a cell is not what its field's type says, or the dataclass refuses the row.
        KeyError: a column is missing, or a truth is none.
    """
    return kind(
        **{name: read(row[name]) for name, read, optional in _columns(kind) if not (optional and not row.get(name))}
    )


def read_facts(path: Path, kind: type[Fact]) -> Iterator[Fact]:
    """As `read_rows`, each row made by `build_fact`."""
    return read_rows(path, partial(build_fact, kind))


def _peaks(row: Row, suffix: str) -> dict[str, Decimal]:
    return {word: money(row[word + suffix]) for word in PRECISIONS if row.get(word + suffix)}


def accelerator(row: Row) -> Accelerator:
    """A row of accelerators.csv. An empty peak is unknown and stays out of the mapping."""
    return Accelerator(
        name=row["name"],
        family=row["family"],
        maker=row["maker"],
        form=Form(row["form"]),
        memory_gb=int(row["memory_gb"]),
        tflops=_peaks(row, ""),
        tflops_sparse=_peaks(row, "_sparse"),
        hbm_gb_per_s=read_amount(row["hbm_gb_per_s"]),
        nvlink_gb_per_s=read_amount(row["nvlink_gb_per_s"]),
        source=row["source"],
        as_of=day(row["as_of"]),
    )


HOUR: Final = "hour"  # of every machine, and of what is rented by the hour
_ITEMS: Final = {  # words of `catalogs.model.Item`
    "GB": "nat_data transit_data cross_zone_data inter_region_data internet_egress log_ingest",
    "GB-month": "disk disk_fast shared_ssd shared_scratch shared_disk log_storage "
    "object object_infrequent object_archive",
    "IOPS-month": "disk_iops disk_fast_iops",
    "MBps-month": "disk_throughput",
    "1k requests": "object_put object_get",
    "key-month": "encryption_key",
    "zone-month": "dns_zone",
    "USD of monthly bill": "support_business_hours support_24x7",
}
_WORDS: Final = {"1k requests": "thousand requests"}  # where the word of a price list is not what people say
_COUNTED: Final = frozenset({"hour", "month", "unit", "request"})  # units that take a plural
_UNIT_OF: Final = {item: unit for unit, items in _ITEMS.items() for item in items.split()}


def unit_of(item: str) -> str:
    """The unit in which an item is counted; a machine, like all that is rented, by the hour."""
    return _UNIT_OF.get(item, HOUR)


def spell_unit(unit: str, amount: str = "1") -> str:
    """A unit in words, after an amount as it is shown; without one as after "per"."""
    return f"{unit}s" if unit in _COUNTED and amount != "1" else _WORDS.get(unit, unit)
