"""What holds for every month."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from sla_samples import CONTROL, OCTOBER, TRAIN, exclusion, lock, part, recorded, reported, runs

from planning.service_levels.series import RecordedSeries, SeriesSegment, build_segments, merge_segments, value_at
from planning.service_levels.series_sources import read_runs, to_text

LOCK = lock()
HOURS = st.lists(st.tuples(st.integers(0, 743), st.integers(1, 60)), max_size=6)
FEW = settings(max_examples=12)


def month_of(usual: int, dips: list[tuple[int, int]], value: int | None) -> tuple[SeriesSegment, ...]:
    """All month `usual`, but `value` in some stretches; None for nothing measured."""
    bad = {hour for start, length in dips for hour in range(start, min(start + length, 744))}
    hours = [(hour, hour + 1, value if hour in bad else usual) for hour in range(744)]
    return merge_segments(runs(*((start, end, found) for start, end, found in hours if found is not None)))


def credit(samples: RecordedSeries, **changes: object) -> tuple[Decimal, Decimal]:
    found = reported(samples, of=LOCK, **changes)["credit_usd"]
    return Decimal(found["if_up"]), Decimal(found["if_down"])


@FEW
@given(HOURS, HOURS, st.integers(0, 64))
def test_a_credit_is_never_below_nothing_nor_above_the_charge(
    dips: list[tuple[int, int]], gaps: list[tuple[int, int]], left: int
) -> None:
    low, high = credit(recorded(train=month_of(64, dips, left), control=month_of(1, gaps, None)))
    assert 0 <= low <= high <= Decimal(65_073) / 4 + 1


@FEW
@given(HOURS, HOURS, st.integers(0, 64))
def test_more_downtime_never_owes_less(dips: list[tuple[int, int]], more: list[tuple[int, int]], left: int) -> None:
    less = credit(recorded(train=month_of(64, dips, left)))
    greater = credit(recorded(train=month_of(64, dips + more, left)))
    assert less[0] <= greater[0]
    assert less[1] <= greater[1]


@FEW
@given(HOURS, HOURS, HOURS)
def test_exclusions_never_raise_the_credit(
    dips: list[tuple[int, int]], gaps: list[tuple[int, int]], windows: list[tuple[int, int]]
) -> None:
    samples = recorded(train=month_of(64, dips, 50), control=month_of(1, gaps, None))
    named = tuple(exclusion("all", start, start + length) for start, length in windows)
    without, with_them = credit(samples), credit(samples, exclusions=named)
    assert with_them[0] <= without[0]
    assert with_them[1] <= without[1]


@settings(max_examples=8)
@given(HOURS, st.integers(45, 3000))
def test_cutting_samples_in_pieces_changes_nothing(dips: list[tuple[int, int]], pieces: int) -> None:
    whole = recorded(train=month_of(64, dips, 60))
    cut = tuple(
        SeriesSegment(start, min(start + 60 * pieces, run.end), run.value)
        for run in whole.runs[TRAIN]
        for start in range(run.start, run.end, 60 * pieces)
    )
    again = recorded(train=cut)
    assert reported(again, of=LOCK) == reported(whole, of=LOCK)
    assert merge_segments(cut) == whole.runs[TRAIN]


@FEW
@given(st.lists(st.integers(0, 3), min_size=1, max_size=200), st.sampled_from([15, 60, 300]))
def test_runs_hold_what_the_samples_held(values: list[int], step: int) -> None:
    found = build_segments([(1000 + step * at, Fraction(value)) for at, value in enumerate(values)], step=step)
    assert [value_at(found, 1000 + step * at + step - 1) for at in range(len(values))] == values
    assert value_at(found, 999) is value_at(found, 1000 + step * len(values)) is None


@FEW
@given(HOURS, st.integers(0, 10**12))
def test_a_saved_file_reckons_the_same(dips: list[tuple[int, int]], share: int) -> None:
    samples = recorded(train=month_of(64, dips, 60))
    value = Fraction(share, 10**12)
    samples = RecordedSeries(
        {**samples.runs, CONTROL: (SeriesSegment(OCTOBER.start, OCTOBER.end, value),)}, step_seconds=60
    )
    text = to_text(samples, stack="lagoon", month="2026-10", asked="a test")
    assert read_runs(text, file="x.csv").recorded == samples


@FEW
@given(HOURS, HOURS)
def test_every_second_of_the_month_is_counted_once(dips: list[tuple[int, int]], gaps: list[tuple[int, int]]) -> None:
    form = reported(recorded(control=month_of(1, gaps, None), train=month_of(64, dips, 1)), of=LOCK)
    assert part(form, "control_plane")["hours"]["owed"] == "744"
    spans = part(form, "nodes/train")["spans"]
    assert all(one["end_second"] <= two["start_second"] for one, two in pairwise(spans))
