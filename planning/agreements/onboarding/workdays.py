"""Days that people work: Monday to Friday. Holidays differ from place to place and are not known here."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

FRIDAY: Final = 4
ONE_DAY: Final = timedelta(days=1)


def works(day: date) -> bool:
    """Whether it is Monday to Friday."""
    return day.weekday() <= FRIDAY


def working(day: date) -> date:
    """That day, or the next on which people work."""
    while not works(day):
        day += ONE_DAY
    return day


def after(day: date) -> date:
    """The next day on which people work."""
    return working(day + ONE_DAY)


def last_of(first: date, working_days: int) -> date:
    """Last of so many working days, `first` being the first of them; `first` itself for none."""
    day = first
    for _ in range(working_days - 1):
        day = after(day)
    return day
