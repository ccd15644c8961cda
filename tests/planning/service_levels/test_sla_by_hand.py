"""A month with outages, against what a person computes by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from sla_samples import (
    BURST_OWED,
    HOUR,
    OCTOBER,
    TABLE,
    TRAIN,
    dip,
    exclusion,
    line,
    lock,
    part,
    recorded,
    reported,
    runs,
)

from planning.service_levels.credits import find_credit_percent
from planning.service_levels.month import Month
from planning.service_levels.series import RecordedSeries, SeriesSegment

OCTOBER_17 = date(2026, 10, 17)


def test_a_month_in_which_nothing_failed_owes_nothing() -> None:
    form = reported(recorded())
    assert form["verdict"] == "met"
    assert form["credit_usd"] == {"if_up": "0.00", "if_down": "0.00"}
    assert part(form, "nodes/train")["attained_percent"] == {"if_up": "100", "if_down": "100"}
    assert part(form, "nodes/burst")["attained_percent"] is None


def test_two_outages_by_hand() -> None:
    """October has 744 hours.

    60 of 64 nodes for 80 hours: 320 of 47,616 node-hours, 99.3279%, below 99.5: 10% of 64,000 USD: 6,400.00.
    The warm tier down for 9 hours: 735 of 744, 98.7903%, below 99: 25% of 1,000 USD: 250.00.
    What could not be used: 320 node-hours at 64,000 / (64 x 730) = 1.369863 USD: 438.36.
    """
    form = reported(recorded(train=dip(64, 60, 100, 180), warm=dip(1, 0, 450, 459)))
    nodes, warm = part(form, "nodes/train"), part(form, "storage/warm")
    assert nodes["attained_percent"] == {"if_up": "99.3279", "if_down": "99.3279"}
    assert nodes["hours"] == {"owed": "47616", "short": "320", "excluded": "0", "not_known": "0"}
    assert nodes["credit_usd"] == {"if_up": "6400.00", "if_down": "6400.00"}
    assert nodes["unusable_usd"] == {"if_up": "438.36", "if_down": "438.36"}
    assert warm["attained_percent"] == {"if_up": "98.7903", "if_down": "98.7903"}
    assert warm["credit_usd"] == {"if_up": "250.00", "if_down": "250.00"}
    assert form["credit_usd"] == {"if_up": "6650.00", "if_down": "6650.00"}
    assert form["verdict"] == "short"
    assert part(form, "control_plane")["verdict"] == "met"


@pytest.mark.parametrize(
    ("attained", "percent"),
    [("100", 0), ("99.5", 0), ("99.4999999999999999999999", 10), ("99", 10), ("98.99999", 25), ("0", 25)],
)
def test_a_level_is_reached_when_it_is_met_exactly(attained: str, percent: int) -> None:
    assert find_credit_percent(Fraction(attained), TABLE) == percent
    assert find_credit_percent(Fraction(attained), TABLE[::-1]) == percent


def test_the_last_second_above_a_level_and_the_first_below_it() -> None:
    """0.5% of October is 3.72 hours, 13,392 seconds."""
    for seconds, owed in ((13_392, "0.00"), (13_393, "7.30")):
        down = (
            SeriesSegment(OCTOBER.start, OCTOBER.end - seconds, Fraction(1)),
            SeriesSegment(OCTOBER.end - seconds, OCTOBER.end, Fraction(0)),
        )
        form = reported(recorded(control=down))
        assert form["credit_usd"]["if_up"] == owed
        shown = part(form, "control_plane")["attained_percent"]
        assert shown is not None
        assert (Decimal(shown["if_up"]) < Decimal("99.5")) == (owed != "0.00")


def test_a_gap_gives_two_readings_and_the_report_says_which_holds() -> None:
    """Of 744 hours 4 are not known: 100% if up, 99.46% if down."""
    form = reported(recorded(control=runs((0, 400, 1), (404, 744, 1))))
    found = part(form, "control_plane")
    assert found["attained_percent"] == {"if_up": "100", "if_down": "99.4623"}
    assert found["credit_usd"] == {"if_up": "0.00", "if_down": "7.30"}
    assert (found["verdict"], form["verdict"]) == ("undetermined", "undetermined")
    assert [span["standing"] for span in found["spans"]] == ["not known"]


def test_a_gap_that_changes_nothing_leaves_no_doubt() -> None:
    form = reported(recorded(control=runs((0, 400, 1), (401, 744, 1))))
    assert form["verdict"] == "met"


def test_what_was_never_recorded_is_neither_up_nor_down() -> None:
    form = reported(recorded(warm=()))
    found = part(form, "storage/warm")
    assert not found["recorded"]
    assert found["attained_percent"] == {"if_up": "100", "if_down": "0"}
    assert found["verdict"] == "undetermined"


def test_nodes_beyond_what_is_owed_stand_for_none_that_were_missing() -> None:
    """66 nodes for a week make up for no hour with 60."""
    form = reported(recorded(train=runs((0, 168, 66), (168, 248, 60), (248, 744, 64))))
    assert part(form, "nodes/train")["hours"]["short"] == "320"


def test_nodes_that_come_and_go_are_charged_by_their_hours() -> None:
    """2 nodes for 200 hours at 1,460 / 730 = 2 USD: 800 USD; one missing for 10 hours, 97.5%: 25%, 200 USD."""
    owed = runs((0, 100, 0), (100, 300, 2), (300, 744, 0))
    there = runs((0, 100, 0), (100, 290, 2), (290, 300, 1), (300, 744, 0))
    form = reported(recorded(burst=there, burst_owed=owed))
    found = part(form, "nodes/burst")
    assert found["attained_percent"] == {"if_up": "97.5", "if_down": "97.5"}
    assert found["lines"][0]["charge_usd"] == {"if_up": "800.00", "if_down": "800.00"}
    assert found["credit_usd"] == {"if_up": "200.00", "if_down": "200.00"}
    assert found["unusable_usd"] == {"if_up": "20.00", "if_down": "20.00"}


def test_unknown_hours_of_nodes_that_come_and_go_count_as_the_most_there_were() -> None:
    owed = runs((0, 100, 0), (100, 300, 2), (310, 744, 0))
    form = reported(recorded(burst=owed, burst_owed=owed))
    assert part(form, "nodes/burst")["hours"]["not_known"] == "20"


def test_a_fixed_pool_is_owed_what_the_lock_says_where_nobody_recorded_it() -> None:
    samples = recorded(train=dip(64, 60, 100, 180))
    without = RecordedSeries({name: found for name, found in samples.runs.items() if name.metric != "atoll:owed_nodes"})
    assert part(reported(without), "nodes/train") == part(reported(samples), "nodes/train")


def test_a_line_is_credited_once_though_nodes_and_fabric_fell_short() -> None:
    """Nodes 10%, fabric 25%, both of 64,000 USD: 16,000 and not 22,400."""
    form = reported(recorded(train=dip(64, 60, 100, 180), fabric=dip(1, 0, 0, 10)))
    assert part(form, "nodes/train")["credit_usd"]["if_up"] == "6400.00"
    assert part(form, "fabric/train")["credit_usd"]["if_up"] == "16000.00"
    assert form["credit_usd"]["if_up"] == "16000.00"


def test_each_line_is_rounded_and_the_sum_adds_what_is_shown() -> None:
    bill = (line("pool/train/machine", "100.05"), line("pool/train/disk", "100.05"))
    form = reported(recorded(train=dip(64, 63, 0, 300)), of=lock(bill=bill))
    owed = [each["credit_usd"] for each in part(form, "nodes/train")["lines"]]
    assert [each["if_up"] for each in owed if each] == ["10.01", "10.01"]
    assert form["credit_usd"]["if_up"] == "20.02"


def test_what_has_no_price_is_named_and_the_sum_is_a_floor() -> None:
    bill = (line("pool/train/machine", None), line("pool/train/disk", "4000"), line("storage/warm", "1000"))
    form = reported(recorded(train=dip(64, 60, 100, 180)), of=lock(bill=bill))
    assert form["untold"] == ["pool/train/machine"]
    assert form["credit_usd"]["if_up"] == "400.00"
    assert part(form, "nodes/train")["lines"][0]["credit_usd"] is None
    assert part(form, "nodes/train")["unusable_usd"] is None
    assert form["verdict"] == "short"


def test_a_month_in_which_the_work_began_is_counted_and_charged_from_that_day() -> None:
    """From 17 October on: 15 of 31 days. 2 of 360 hours down: 99.44%; 10% of 73 x 15 / 31 = 35.32 USD."""
    down = runs((0, 500, 1), (500, 502, 0), (502, 744, 1))
    form = reported(recorded(control=down), starts=OCTOBER_17)
    found = part(form, "control_plane")
    assert form["counted_from"] == "2026-10-17"
    assert found["hours"]["owed"] == "360"
    assert found["lines"][0]["charge_usd"] == {"if_up": "35.32", "if_down": "35.32"}
    assert found["credit_usd"] == {"if_up": "3.53", "if_down": "3.53"}
    assert found["spans"][0]["standing"] == "before"


def test_what_has_not_yet_been_is_not_known() -> None:
    samples = recorded(control=runs((0, 300, 1)))
    form = reported(samples, today=OCTOBER_17)
    assert not form["over"]
    assert part(form, "control_plane")["hours"]["not_known"] == "444"


def test_a_month_is_bounded_by_utc() -> None:
    """What lies before its first second and after its last is another month's."""
    month = Month(2026, 11)
    assert (month.start, month.end) == (1793491200, 1796083200)
    before = SeriesSegment(OCTOBER.start - 10 * HOUR, OCTOBER.start, Fraction(0))
    after = SeriesSegment(OCTOBER.end, OCTOBER.end + 10 * HOUR, Fraction(0))
    form = reported(recorded(control=(before, *runs((0, 744, 1)), after)))
    assert part(form, "control_plane")["hours"] == {"owed": "744", "short": "0", "excluded": "0", "not_known": "0"}


def test_an_announced_maintenance_is_no_failure_and_a_late_one_is() -> None:
    samples = recorded(control=dip(1, 0, 100, 110))
    start = OCTOBER.start + 100 * HOUR
    early = exclusion("control_plane", 100, 110, cause="maintenance", notice=start - 72 * HOUR)
    late = replace(early, notice=start - 72 * HOUR + 1)
    assert reported(samples, exclusions=(early,))["verdict"] == "met"
    form = reported(samples, exclusions=(late,))
    assert form["verdict"] == "short"
    assert form["exclusions"][0]["refused"] == "notice of 71.9 hours was given, and 72 were agreed"


def test_maintenance_is_not_excluded_where_no_notice_was_agreed() -> None:
    found = exclusion("all", 0, 744, cause="maintenance", notice=0)
    form = reported(recorded(control=dip(1, 0, 100, 110)), exclusions=(found,), notice_hours=None)
    assert form["verdict"] == "short"
    assert "no notice was agreed" in form["exclusions"][0]["refused"]


def test_overlapping_exclusions_count_once_and_only_for_their_part() -> None:
    windows = (exclusion("storage/warm", 100, 106), exclusion("all", 104, 110), exclusion("control_plane", 0, 744))
    form = reported(recorded(warm=dip(1, 0, 100, 120), train=dip(64, 0, 104, 110)), exclusions=windows)
    assert part(form, "storage/warm")["hours"]["excluded"] == "10"
    assert part(form, "storage/warm")["hours"]["short"] == "10"
    assert part(form, "nodes/train")["hours"]["excluded"] == str(64 * 6)
    assert part(form, "nodes/train")["verdict"] == "met"


def test_an_exclusion_of_another_month_says_so() -> None:
    form = reported(recorded(), exclusions=(exclusion("all", -100, 0), exclusion("all", 744, 800)))
    assert {each["refused"] for each in form["exclusions"]} == {"it lies outside of this month"}


def test_what_lies_beside_home_is_not_recorded_so_that_nobody_can_tell() -> None:
    form = reported(recorded(), of=lock(placements=2))
    assert (form["verdict"], form["not_recorded"]) == ("undetermined", ["away"])


def test_a_recorded_number_of_nodes_wins_over_the_lock() -> None:
    """A lock that was accepted anew within the month: what was owed then is what was recorded then."""
    samples = recorded(train=runs((0, 100, 32), (100, 744, 64)))
    found = {**samples.runs, replace(TRAIN, metric=BURST_OWED.metric): runs((0, 100, 32), (100, 744, 64))}
    assert part(reported(RecordedSeries(found)), "nodes/train")["hours"]["short"] == "0"
