"""Exclusions: stretches of time that are not counted as failures, and why some are refused."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planning.service_levels.month import Month

ALL: Final = "all"


class Cause(StrEnum):
    """What may be excluded."""

    MAINTENANCE = "maintenance"
    CUSTOMER = "customer"
    FORCE_MAJEURE = "force_majeure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """As the file says it; seconds since 1970.

    Args:
        component: key of a part, or "all".
        notice: when it was announced; None for never.
    """

    cause: Cause
    component: str
    start: int
    end: int
    reason: str
    notice: int | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch that holds."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An exclusion, and why it does not hold; "" where it does."""

    exclusion: Exclusion
    refused: str

    def holds_for(self, part: str) -> bool:
        """Whether time of this part is excluded by it."""
        return not self.refused and self.exclusion.component in {ALL, part}


def judged(exclusions: Iterable[Exclusion], *, month: Month, notice_hours: Decimal | None) -> tuple[Judged, ...]:
    """Which hold in a month.

    Args:
        notice_hours: agreement.maintenance_notice_hours; None where it was not settled, so that no maintenance is
            excluded.
    """
    return tuple(
        Judged(exclusion=each, refused=_refusal(each, month=month, notice_hours=notice_hours)) for each in exclusions
    )


def windows_of(found: Sequence[Judged], part: str) -> tuple[Window, ...]:
    """What holds for a part, in order, overlaps as one."""
    holding = sorted((each.exclusion.start, each.exclusion.end) for each in found if each.holds_for(part))
    merged: list[Window] = []
    for start, end in holding:
        if merged and start <= merged[-1].end:
            merged[-1] = Window(start=merged[-1].start, end=max(end, merged[-1].end))
        else:
            merged.append(Window(start=start, end=end))
    return tuple(merged)


def _refusal(each: Exclusion, *, month: Month, notice_hours: Decimal | None) -> str:
    if each.end <= month.start or each.start >= month.end:
        return "it lies outside of this month"
    if each.cause is not Cause.MAINTENANCE:
        return ""
    if notice_hours is None:
        return "no notice was agreed (agreement.maintenance_notice_hours), so that maintenance counts as any failure"
    if each.notice is None:
        return "no notice was given (notice_at)"
    given = max(Decimal(each.start - each.notice) / 3600, ZERO)
    if given < notice_hours:
        return f"notice of {_hours(given)} hours was given, and {_hours(notice_hours)} were agreed"
    return ""


def _hours(value: Decimal) -> str:
    """Rounded down to a tenth, so that too little never reads as enough."""
    tenths = value.quantize(Decimal("0.1"), rounding="ROUND_FLOOR")
    return f"{tenths.normalize():f}" if tenths else "0"
