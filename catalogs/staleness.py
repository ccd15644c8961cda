"""How old a price is, and how old it may be. Pure: today is an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    from catalogs.model import Price

# Machine prices moved by a third within 236 days (EC2 capacity blocks, 2026-02-01 to 2026-09-25), by 17% in one day
# (Nebius, 2026-10-01) and by 14% within six weeks (RunPod, autumn 2026): half a year is the most that can be defended.
MACHINE_AGE_LIMIT_DAYS = 180

# List prices of services stand for years: two independent readings of 2024-07 and 2026-09 agree on NAT, egress, disks
# and buckets to the last digit.
SERVICE_AGE_LIMIT_DAYS = 1100


def age_days(as_of: date | None, *, today: date) -> int | None:
    """Days since a price was true; None where nobody dated it. Never negative: a price may name a coming date."""
    return None if as_of is None else max(0, (today - as_of).days)


def too_old(price: Price, *, today: date, machine: bool) -> bool:
    """Whether a dated price is past its limit. An undated price is not too old: it is undated, and an offer says so.

    Args:
        price: the price in question.
        today: the day of the quote.
        machine: whether the price is of a machine, whose prices move faster than those of services.
    """
    return past_limit(price.as_of, today=today, machine=machine)


def past_limit(as_of: date | None, *, today: date, machine: bool) -> bool:
    """Whether a price of that day is past the limit of its kind; never, where nobody dated it."""
    age = age_days(as_of, today=today)
    limit = MACHINE_AGE_LIMIT_DAYS if machine else SERVICE_AGE_LIMIT_DAYS
    return age is not None and age > limit
