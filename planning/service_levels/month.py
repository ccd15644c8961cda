"""A month, in UTC, to the second."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from planning.values.errors import InputError

WRITTEN: Final = re.compile(r"(\d{4})-(\d{2})")
MONTHS: Final = 12
LAST_YEAR: Final = 2999  # a month ends with the next, and a calendar with 9999
FIRST_YEAR: Final = 2020  # before it nothing was recorded by an Atoll


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A month of the calendar, from its first second in UTC up to the first of the next."""

    year: int
    number: int

    @property
    def start(self) -> int:
        """First second, since 1970."""
        return int(datetime(self.year, self.number, 1, tzinfo=UTC).timestamp())

    @property
    def end(self) -> int:
        """The first second after it."""
        return self.next.start

    @property
    def next(self) -> Month:
        return Month(self.year + 1, 1) if self.number == MONTHS else Month(self.year, self.number + 1)

    @property
    def seconds(self) -> int:
        return self.end - self.start

    def __str__(self) -> str:
        return f"{self.year:04d}-{self.number:02d}"


def parse_month(text: str) -> Month:
    """Read "2026-10".

    Raises:
        InputError: not a month of the calendar, or written otherwise.
    """
    found = WRITTEN.fullmatch(text.strip())
    if found is None or not 1 <= int(found[2]) <= MONTHS or not FIRST_YEAR <= int(found[1]) <= LAST_YEAR:
        raise InputError(f"{text!r} is not a month", hint="write it as 2026-10; months are those of UTC")
    return Month(int(found[1]), int(found[2]))


def refuse_untimely(month: Month, *, today: date, starts: date | None) -> None:
    """Refuse a month without a report.

    Raises:
        InputError: it has not begun, or ended before the work on the accepted cluster began.
    """
    if month.start > midnight(today):
        raise InputError(f"{month} has not begun: today is {today}", hint="a month is calculated when it is over")
    if starts is not None and midnight(starts) >= month.end:
        raise InputError(
            f"{month} was over before the work began: agreement.starts is {starts}", hint="ask for a later month"
        )


def midnight(day: date) -> int:
    """The first second of a day, UTC."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def format_time(second: int) -> str:
    """A time as reports show it: "2026-10-07 03:14 UTC", with seconds where they are not 0."""
    found = datetime.fromtimestamp(second, tz=UTC)
    return f"{found:%Y-%m-%d %H:%M:%S} UTC" if found.second else f"{found:%Y-%m-%d %H:%M} UTC"
