"""Recorded series as runs of equal values: what was measured when, and by what is left out, when nothing was."""

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


# The label that tells the series of one name apart.
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
    """Samples that contradict each other or cannot be what they say."""


@dataclass(frozen=True, slots=True)
class SeriesSegment:
    """One value from a second up to, but without, another."""

    start: int
    end: int
    value: Fraction


@dataclass(frozen=True, slots=True)
class Name:
    """A series: its metric, and the pool or tier it is of."""

    metric: str
    of: str = ""

    def __str__(self) -> str:
        label = LABELS[self.metric]
        return f'{self.metric}{{{label}="{self.of}"}}' if label else self.metric


@dataclass(frozen=True, slots=True)
class RecordedSeries:
    """Everything that was recorded, by series; runs ascend and never overlap."""

    runs: Mapping[Name, tuple[SeriesSegment, ...]]
    notes: tuple[str, ...] = ()
    step_seconds: int = 0
    """The longest time between two samples of a series; 0 where the file has runs already."""

    def of(self, name: Name) -> tuple[SeriesSegment, ...]:
        """Runs of a series; none where it was not recorded."""
        return self.runs.get(name, ())


def step_of(times: Sequence[int]) -> int | None:
    """Seconds that one sample stands for: the distance that most neighbours have; None for fewer than two.

    Raises:
        SampleError: a sample lies beside the grid of the others, so that nobody knows what it stands for.
    """
    gaps = Counter(after - before for before, after in pairwise(times))
    if not gaps:
        return None
    step = min(gaps, key=lambda gap: (-gaps[gap], gap))
    beside = next((time for time in times if (time - times[0]) % step), None)
    if beside is not None:
        raise SampleError(f"the step is not constant: most samples are {step} s apart, and the one at {beside} is not")
    return step


def build_segments(samples: Iterable[tuple[int, Fraction]], *, step: int) -> tuple[SeriesSegment, ...]:
    """Samples as runs, each standing for the step that begins at it; what has no sample has no run.

    Raises:
        SampleError: two values for one moment.
    """
    return merge_segments(SeriesSegment(time, time + step, value) for time, value in samples)


def merge_segments(runs: Iterable[SeriesSegment]) -> tuple[SeriesSegment, ...]:
    """Runs in order, neighbours with one value together.

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
    """What was measured at a moment; None where nothing was."""
    at = bisect_right(runs, second, key=lambda run: run.start) - 1
    return runs[at].value if at >= 0 and second < runs[at].end else None


def edges(runs: Iterable[SeriesSegment], *, start: int, end: int) -> Iterator[int]:
    """Moments within `start` and `end` at which something begins or ends."""
    for run in runs:
        yield from (edge for edge in (run.start, run.end) if start < edge < end)


MOST_NODES: Final = 1_000_000


def check_value(name: Name, value: Fraction) -> None:
    """A share lies between nothing and all; nodes are whole, and not below nothing.

    Raises:
        SampleError: it does not.
    """
    if name.metric in SHARES:
        if not 0 <= value <= 1:
            raise SampleError(f"{name} is {_format_value(value)}: a share lies between 0 and 1")
    elif value.denominator != 1 or not 0 <= value <= MOST_NODES:
        raise SampleError(f"{name} is {_format_value(value)}: nodes are a whole number")


def round_share(value: Fraction) -> Fraction:
    """A share as files keep it, with twelve decimals, so that a file and its export reckon the same."""
    return Fraction(round(value * 10**12), 10**12) if value.denominator != 1 else value


def _format_value(value: Fraction) -> str:
    return f"{float(value):g}"
