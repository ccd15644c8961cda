"""How fast things have been or are sold to be, and how much memory they show: small files, read without prices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from decimal import Decimal

ROOT: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Achievable:
    """The most that somebody has measured of one accelerator's matrix multiplication.

    Args:
        shape: "MxNxK", at which it was reached.
    """

    accelerator: str
    precision: str
    tflops: Decimal
    shape: str
    note: str
    source: str
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSpeed:
    """Throughput that a storage tier is sold with, by what is provisioned."""

    provider: str
    tier: str
    mb_per_s_per_tib: Decimal
    note: str
    source: str
    as_of: date | None


@cache
def achievable() -> Mapping[tuple[str, str], Achievable]:
    """By accelerator and precision; what nobody has published is not there.

    Raises:
        CatalogError: a row cannot be read.
    """
    found = parsing.read_rows(ROOT / "achievable.csv", _achievable)
    return {(each.accelerator, each.precision): each for each in found}


@cache
def tier_speeds() -> Mapping[tuple[str, str], TierSpeed]:
    """By provider and tier.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {(each.provider, each.tier): each for each in parsing.read_rows(ROOT / "tier_speeds.csv", _tier_speed)}


@cache
def read_visible_memory() -> Mapping[str, Decimal]:
    """Memory that an accelerator shows where it is whole, in MiB, by accelerator.

    Raises:
        CatalogError: a row cannot be read.
    """
    return dict(
        parsing.read_rows(ROOT / "seen_memory.csv", lambda row: (row["accelerator"], parsing.money(row["mib"])))
    )


def _achievable(row: Mapping[str, str]) -> Achievable:
    return Achievable(
        accelerator=row["accelerator"],
        precision=row["precision"],
        tflops=parsing.money(row["tflops"]),
        shape=row["shape"],
        note=row["note"],
        source=row["source"],
        as_of=parsing.day(row["as_of"]),
    )


def _tier_speed(row: Mapping[str, str]) -> TierSpeed:
    return TierSpeed(
        provider=row["provider"],
        tier=row["tier"],
        mb_per_s_per_tib=parsing.money(row["mb_per_s_per_tib"]),
        note=row["note"],
        source=row["source"],
        as_of=parsing.day(row["as_of"]),
    )
