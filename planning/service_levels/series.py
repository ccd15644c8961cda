"""Recorded series as runs of equal values; time in no run was not measured."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from planning.platform.alerts import availability

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


# Label that distinguishes the series of a metric.
LABELS: Mapping[str, str] = {
    availability.HEALTHY: "pool",
    availability.OWED: "pool",
    availability.FABRIC: "pool",
    availability.STORAGE: "tier",
    availability.CONTROL_PLANE: "",
}
USUAL_STEP = 60  # seconds between two samples that the cluster records
COARSEST_STEP = 3600
SHARES = frozenset({availability.FABRIC, availability.STORAGE, availability.CONTROL_PLANE})


class SampleError(ValueError):
    """Samples that contradict each other, or are out of range."""


@dataclass(frozen=True, slots=True)
class SeriesSegment:
    """One value from a second (included) to another (excluded)."""

    start: int
    end: int
    value: Fraction


@dataclass(frozen=True, slots=True)
class Name:
    """A series: its metric, and the pool or tier that it measures."""

    metric: str
    of: str = ""

    def __str__(self) -> str:
        label = LABELS[self.metric]
        return f'{self.metric}{{{label}="{self.of}"}}' if label else self.metric


@dataclass(frozen=True, slots=True)
class RecordedSeries:
    """Runs by series, in order of time and without overlaps."""

    runs: Mapping[Name, tuple[SeriesSegment, ...]]
    notes: tuple[str, ...] = ()
    step_seconds: int = 0
    """Longest step of a series; 0 where a file of runs names none."""

    def of(self, name: Name) -> tuple[SeriesSegment, ...]:
        return self.runs.get(name, ())


def find_step(times: Sequence[int]) -> int | None:
    """Seconds that one sample stands for: the most frequent distance of neighbours; None for fewer than two samples.

    Raises:
        SampleError: a sample lies off the grid of the others, so that the time it stands for is unknown.
    """
    gaps = Counter(after - before for before, after in pairwise(times))
    if not gaps:
        return None
    # The most frequent one, for a series with gaps has longer distances, too.
    step = min(gaps, key=lambda gap: (-gaps[gap], gap))
    beside = next((time for time in times if (time - times[0]) % step), None)
    if beside is not None:
        raise SampleError(f"the step is not constant: most samples are {step} s apart, and the one at {beside} is not")
    return step


def build_segments(samples: Iterable[tuple[int, Fraction]], *, step: int) -> tuple[SeriesSegment, ...]:
    """Merge samples into runs; a sample stands for the step that begins at it.

    Raises:
        SampleError: two values for one moment.
    """
    return merge_segments(SeriesSegment(time, time + step, value) for time, value in samples)


def merge_segments(runs: Iterable[SeriesSegment]) -> tuple[SeriesSegment, ...]:
    """Sort runs and join neighbours of equal value.

    Raises:
        SampleError: two values for one moment.
    """
    found: list[SeriesSegment] = []
    for run in sorted(runs, key=lambda each: (each.start, each.end)):
        last = found[-1] if found else None
        if last is None or last.end < run.start:
            found.append(run)
        elif last.value == run.value:
            found[-1] = SeriesSegment(last.start, max(last.end, run.end), last.value)
        elif last.end > run.start:
            raise SampleError(f"two values for one moment: {last.value} and {run.value} at {run.start}")
        else:
            found.append(run)
    return tuple(found)


def value_at(runs: Sequence[SeriesSegment], second: int) -> Fraction | None:
    """Value at a moment; None where nothing was measured."""
    at = bisect_right(runs, second, key=lambda run: run.start) - 1
    return runs[at].value if at >= 0 and second < runs[at].end else None


def list_edges(runs: Iterable[SeriesSegment], *, start: int, end: int) -> Iterator[int]:
    """Starts and ends of runs between `start` and `end`."""
    for run in runs:
        yield from (edge for edge in (run.start, run.end) if start < edge < end)


MOST_NODES: Final = 1_000_000


def check_value(name: Name, value: Fraction) -> None:
    """Check the range of a value.

    Raises:
        SampleError: a share not between 0 and 1, or nodes that are no whole number of at most a million.
    """
    if name.metric in SHARES:
        if not 0 <= value <= 1:
            raise SampleError(f"{name} is {float(value):g}: a share lies between 0 and 1")
    elif value.denominator != 1 or not 0 <= value <= MOST_NODES:
        raise SampleError(f"{name} is {float(value):g}: nodes are a whole number")


def round_share(value: Fraction) -> Fraction:
    """Round a share to the twelve decimals of a file."""
    # As a file has it, so that samples and their export give the same report.
    return Fraction(round(value * 10**12), 10**12) if value.denominator != 1 else value
