"""Charts of a quote: as long, as far and as high as the amounts are."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from xml.etree import ElementTree as ET

import hand_built
import pytest
import quote_page_kit as kit
from hypothesis import given
from hypothesis import strategies as st

from driver.html import quote_runs
from driver.html.bars import bill_chart
from driver.html.quote_charts import charts
from driver.html.quote_frame import MARKER, WIDTH, apart, short
from driver.html.quote_market import Axis, market_chart
from driver.html.quote_owning import owning_chart
from driver.html.quote_ranges import range_chart
from driver.html.quote_runs import run_chart
from driver.html.scale import scale, tick_step
from planning.money import Range
from planning.owning import spent
from planning.quote import Option


def option_at(least: str, expected: str, most: str) -> Option:
    bill = hand_built.bill()
    line = replace(bill.lines[0], usd_per_month=Range(Decimal(least), Decimal(expected), Decimal(most)))
    return replace(hand_built.option(), bill=type(bill)((line,)))


def of_class(chart: str, word: str) -> list[ET.Element]:
    return [each for each in kit.parsed(chart).iter() if word in each.get("class", "").split()]


def test_bars_add_up_to_the_expected_amount() -> None:
    options = [hand_built.option(), option_at("0", "40000", "50000")]
    chart = bill_chart(options, ceiling=None)
    bars = [(float(each.get("y", "0")), float(each.get("width", "0"))) for each in of_class(chart, "part")]
    first, second = (sum(width for y, width in bars if y == row) for row in sorted({y for y, _ in bars}))
    expected = [float(each.bill.usd_per_month.expected) for each in options]
    assert first / second == pytest.approx(expected[0] / expected[1], abs=0.005)


@pytest.mark.parametrize(("ceiling", "drawn"), [("12000", True), ("16000", True), ("1000000", False)])
def test_a_ceiling_far_off_does_not_squeeze_the_bars(ceiling: str, *, drawn: bool) -> None:
    assert bool(of_class(bill_chart([hand_built.option()], ceiling=Decimal(ceiling)), "ceiling")) is drawn


def test_a_floor_is_marked_in_the_charts() -> None:
    assert "&gt;= 10,029.27 (2 unpriced)" in bill_chart([hand_built.doubtful()], ceiling=None)
    assert "&gt;= 10,029.27 expected" in range_chart([hand_built.doubtful()], ceiling=None)


@given(st.lists(st.integers(min_value=0, max_value=10**7), min_size=3, max_size=3), st.integers(1, 10**8))
def test_a_range_reaches_from_min_to_max_with_the_mark_between(amounts: list[int], ceiling: int) -> None:
    least, expected, most = sorted(amounts)
    chart = range_chart([option_at(str(least), str(expected), str(most))], ceiling=Decimal(ceiling))
    (band,), (mark,) = of_class(chart, "band"), of_class(chart, "mark")
    left = float(band.get("x", "0"))
    middle = float(mark.get("x", "0")) + 3
    assert left - 0.2 <= middle <= left + float(band.get("width", "0")) + 0.2
    assert left + float(band.get("width", "0")) <= WIDTH


def test_runs_stand_at_their_hours_and_usd_and_equal_ones_share_a_marker() -> None:
    fast = replace(hand_built.option(), runs=(replace(hand_built.option().runs[0], hours=Decimal(100)),))
    chart = run_chart([hand_built.option(), hand_built.doubtful(), fast], workload="train", deadline_days=Decimal(14))
    letters = {each.text: float(each.get("x", "0")) for each in of_class(chart, "letter")}
    assert set(letters) == {"A, B", "C"}
    ratio = (letters["C"] - quote_runs.LEFT) / (letters["A, B"] - quote_runs.LEFT)
    assert ratio == pytest.approx(100 / 301.25, abs=0.01)
    (deadline,) = of_class(chart, "ceiling")
    further = (float(deadline.get("x1", "0")) - quote_runs.LEFT) / (letters["C"] - quote_runs.LEFT)
    assert further == pytest.approx(3.36, 0.01)


@pytest.mark.parametrize("deadline", [None, Decimal(1000)])
def test_a_run_without_a_deadline_or_with_one_far_off_has_no_line(deadline: Decimal | None) -> None:
    assert not of_class(run_chart([hand_built.option()], workload="train", deadline_days=deadline), "ceiling")


@pytest.mark.parametrize("stack", kit.STACKS)
def test_cheaper_machines_are_left_of_a_pool(stack: str) -> None:
    made = kit.made(stack)
    for standing in made.standings:
        chart = market_chart(standing, made.catalog.providers)
        dots = [float(each.get("cx", "0")) for each in of_class(chart, "dot")]
        assert len(dots) == len(standing.machines)
        discs = [float(each.get("x", "0")) + MARKER for each in of_class(chart, "disc")]
        for pool, x in zip(standing.pools, discs, strict=True):
            assert sum(dot < x - 0.1 for dot in dots) <= pool.cheaper <= sum(dot <= x + 0.1 for dot in dots)


@given(st.lists(st.decimals("0", "900000", places=3), max_size=20))
def test_the_markets_axis_holds_every_amount(amounts: list[Decimal]) -> None:
    axis = Axis(amounts)
    assert all(0 <= axis.at(each) <= WIDTH for each in amounts)
    assert len(axis.ticks) >= 2


@pytest.mark.parametrize("stack", ["pretrain-7b", "existing-lambda", "coreweave-pretrain", "rl-cpu"])
def test_the_lines_of_renting_and_buying_cross_in_the_month_that_is_named(stack: str) -> None:
    for option in kit.made(stack).quote.options:
        if option.buying is None:
            continue
        found = spent(option.buying)
        assert found is not None
        crossed = next((at for at, usd in enumerate(found.owned) if at and usd < found.rented[at]), None)
        assert crossed == option.buying.break_even_month
        chart = owning_chart(option.buying, found, every=(0,))
        assert len(of_class(chart, "even")) == (crossed is not None)
        assert len(of_class(chart, "rented")) == len(of_class(chart, "owned")) == 1


def test_servers_whose_costs_nobody_knows_have_a_row_and_no_chart() -> None:
    made = kit.made("demo")
    drawn = charts(hand_built.quote(), checklist=made.checklist, catalog=made.catalog, standings=())
    assert not [name for name in drawn if name.startswith("buying")]


@pytest.mark.parametrize("most", ["0.4", "1", "9.99", "10", "37", "64000", "99999.99", "1234567"])
def test_an_axis_ends_on_a_round_tick_behind_the_longest_bar(most: str) -> None:
    axis = scale(Decimal(most), left=0, width=100)
    assert axis.most >= Decimal(most)
    assert axis.ticks[-1] == axis.most
    assert 2 <= len(axis.ticks) <= 9
    assert axis.at(axis.most) == 100
    assert tick_step(Decimal(most)).normalize().as_tuple().digits in {(1,), (2,), (2, 5), (5,)}


@pytest.mark.parametrize(
    ("tick", "said"),
    [("0", "0"), ("2.50", "2.5"), ("5000", "5,000"), ("40000", "40k"), ("12500", "12.5k"), ("1250000", "1.25M")],
)
def test_amounts_of_an_axis_are_short(tick: str, said: str) -> None:
    assert short(Decimal(tick)) == said


def test_places_that_touch_are_one() -> None:
    assert apart([(0, 0), (5, 5), (100, 0), (0, 90)], near=16) == [[0, 1], [2], [3]]
