"""Availability of a part in a month, second by second; unmeasured time is counted both as up and as down."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from planning.platform.alerts import availability as delivered
from planning.service_levels.series import Name, list_edges, value_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.service_levels.exclusions import Window
    from planning.service_levels.month import Month
    from planning.service_levels.series import RecordedSeries, SeriesSegment
    from planning.service_levels.service_parts import ServicePart

Standing = Literal["up", "short", "excluded", "not known", "before"]
ONE: Final = Fraction(1)
NONE: Final = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailabilityPeriod:
    """A stretch of the month in which nothing changed.

    Args:
        owed: committed nodes, or 1 for a part without nodes; the maximum possible in unmeasured time.
        delivered: of those; None in unmeasured time.
    """

    start: int
    end: int
    standing: Standing
    owed: Fraction
    delivered: Fraction | None

    @property
    def seconds(self) -> int:
        return self.end - self.start

    @property
    def missing(self) -> Fraction:
        """Committed and not delivered, in node-seconds or seconds; everything committed in unmeasured time."""
        return self.seconds * (self.owed - (self.delivered or NONE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """A month of one part, in node-seconds or seconds.

    Args:
        owed: committed in time that was measured or excluded.
        short: measured, not delivered, and not excluded.
        forgiven: not delivered within an exclusion.
        unknown: maximum commitment in unmeasured time.
    """

    part: ServicePart
    spans: tuple[AvailabilityPeriod, ...]
    owed: Fraction
    short: Fraction
    forgiven: Fraction
    unknown: Fraction

    @property
    def percent_if_up(self) -> Fraction | None:
        """Availability if unmeasured time was up; None where nothing was committed."""
        total = self.owed + self.unknown
        return 100 * (total - self.short) / total if total else None

    @property
    def percent_if_down(self) -> Fraction | None:
        """Availability if unmeasured time was down; None where nothing was committed."""
        total = self.owed + self.unknown
        return 100 * (self.owed - self.short) / total if total else None

    def sum_seconds(self, standing: Standing) -> int:
        return sum(span.seconds for span in self.spans if span.standing == standing)


def calculate_availability(
    part: ServicePart, recorded: RecordedSeries, *, month: Month, starts: int | None, windows: Sequence[Window]
) -> Availability:
    """Availability of one part.

    Args:
        starts: second on which the work on the accepted cluster began; earlier time is not counted.
        windows: accepted exclusions of this part; time within them is not counted as a failure.
    """
    spans = tuple(_merge_periods(_spans(part, recorded, month=month, starts=starts or 0, windows=windows)))
    known = [span for span in spans if span.standing in {"up", "short", "excluded"}]
    return Availability(
        part=part,
        spans=spans,
        owed=sum((span.owed * span.seconds for span in known), start=NONE),
        short=sum((span.missing for span in spans if span.standing == "short"), start=NONE),
        forgiven=sum((span.missing for span in spans if span.standing == "excluded"), start=NONE),
        unknown=sum((span.missing for span in spans if span.standing == "not known"), start=NONE),
    )


def _spans(
    part: ServicePart, recorded: RecordedSeries, *, month: Month, starts: int, windows: Sequence[Window]
) -> Iterator[AvailabilityPeriod]:
    there = recorded.of(part.series)
    owed = recorded.of(Name(delivered.OWED, part.series.of)) if part.pools else ()
    most = _find_maximum_target(part, owed, month)
    marks = {month.start, month.end, *list_edges((*there, *owed), start=month.start, end=month.end)}
    marks |= {edge for window in windows for edge in (window.start, window.end)} | {starts}
    ordered = sorted(mark for mark in marks if month.start <= mark <= month.end)
    for start, end in itertools.pairwise(ordered):
        wanted, found = _find_target_at(part, owed, start), value_at(there, start)
        excluded = any(window.start <= start < window.end for window in windows)
        standing: Standing = "excluded" if excluded else "short"
        target, had = wanted, None if found is None or wanted is None else min(found, wanted)
        if start < starts:
            standing, target, had = "before", NONE, NONE
        elif wanted == NONE:
            standing, had = "up", NONE
        elif had is None:
            standing = "excluded" if excluded else "not known"
        elif had == wanted:
            standing = "up"
        yield AvailabilityPeriod(
            start=start, end=end, standing=standing, owed=most if target is None else target, delivered=had
        )


def _find_target_at(part: ServicePart, owed: Sequence[SeriesSegment], second: int) -> Fraction | None:
    """Commitment at a moment: as recorded, else the node count of the lock where that count is fixed."""
    found = value_at(owed, second)
    if part.owed is None:
        return NONE if found == 0 else ONE  # a fabric without nodes has nothing to deliver
    return Fraction(part.owed.fixed) if found is None and not part.owed.elastic else found


def _find_maximum_target(part: ServicePart, owed: Sequence[SeriesSegment], month: Month) -> Fraction:
    """Commitment assumed in unmeasured time: the maximum recorded in the month, else every node of the lock."""
    if part.owed is None:
        return ONE
    seen = [run.value for run in owed if run.start < month.end and run.end > month.start]
    return max(seen, default=Fraction(part.owed.most))


def _merge_periods(spans: Iterator[AvailabilityPeriod]) -> Iterator[AvailabilityPeriod]:
    last: AvailabilityPeriod | None = None
    for span in spans:
        if last is None:
            last = span
        elif (last.standing, last.owed, last.delivered) == (span.standing, span.owed, span.delivered):
            last = replace(last, end=span.end)
        else:
            yield last
            last = span
    if last is not None:
        yield last
