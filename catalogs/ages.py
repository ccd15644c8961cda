"""How old a price may be: every limit in days, and where a price stands between its day and its limits.

An undated price is as old as its place in the catalog: nobody knows for how long it was true before.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class AgeLimits:
    """How old the prices of one kind may be, in days.

    Args:
        stale_days: beyond them a quote says that the price may have moved.
        refused_days: beyond them a price is planned with only where stale prices are allowed.
    """

    stale_days: int
    refused_days: int


# Machine prices moved by 17% in one day (Nebius, 2026-10-01) and by 14% within six weeks (RunPod, autumn 2026): after
# two months a reader should know. They moved by a third within 236 days (EC2 capacity blocks, 2026-02-01 to
# 2026-09-25): half a year is the most that can be defended.
MACHINE_AGE: Final = AgeLimits(stale_days=60, refused_days=180)

# List prices of services stand for years: two independent readings of 2024-07 and 2026-09 agree on NAT, egress, disks
# and buckets to the last digit, so that three years are the most that can be defended. Yet lists are revised by the
# year (AWS charges for public IPv4 addresses since 2024-02): of one that was not read again for a year and a month the
# reader should know.
SERVICE_AGE: Final = AgeLimits(stale_days=400, refused_days=1100)

# Spot and micro-cloud prices move within weeks (Nebius by 35% in one step), so an offer stands for two of them.
QUOTE_VALID_DAYS: Final = 14


class Freshness(StrEnum):
    """Where a price stands between its day and its limits."""

    FRESH = "fresh"
    STALE = "stale"
    REFUSED = "refused"


class DatedPrice(Protocol):
    """A price, or a line of a bill."""

    @property
    def as_of(self) -> date | None: ...

    @property
    def entered(self) -> date | None: ...


def start_of_age(price: DatedPrice) -> date | None:
    """The day that a price is counted from; None for what no list sells: a stated fee, the customer's undated price."""
    return price.as_of or price.entered


def age_days(as_of: date | None, *, today: date) -> int | None:
    """Days since a price was true; None where it has no date. Never negative: a price may name a coming date."""
    return None if as_of is None else max(0, (today - as_of).days)


def judge_age(price: DatedPrice, *, today: date, machine: bool) -> Freshness:
    """Whether a price is fresh, stale or refused on a day, by the limits of its kind."""
    return judge_day(start_of_age(price), today=today, machine=machine)


def judge_day(start: date | None, *, today: date, machine: bool) -> Freshness:
    """As `judge_age`, of a price that is counted from this day; fresh where it is counted from none."""
    age = age_days(start, today=today)
    limits = MACHINE_AGE if machine else SERVICE_AGE
    if age is None or age <= limits.stale_days:
        return Freshness.FRESH
    return Freshness.STALE if age <= limits.refused_days else Freshness.REFUSED
