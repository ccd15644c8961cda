"""Charts of a quote: as long, as far and as high as the amounts are."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import hand_built
import pytest
import quote_page_kit as kit
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.pages.charts import lines
from cli.pages.charts.axes import BOLD_LETTER, MARKER, WIDTH, format_tick, group_overlaps, scale, tick_step
from cli.pages.charts.bars import bill_chart
from cli.pages.charts.lines import PHONE_LETTER, Disc, owning_chart, place_labels, run_chart
from cli.pages.charts.market import LETTER, Axis, market_chart
from cli.pages.charts.ranges import REACH_LETTER, range_chart
from cli.pages.quote.pictures import draw
from planning.quoting.price_performance import compare_ownership
from planning.quoting.quote import Option
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Callable


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


@pytest.mark.parametrize("region", ["us-east-1", "a-region-with-a-very-long-name-and-more", "x" * 70])
@pytest.mark.parametrize("views", [("cheapest",), ("cheapest", "no_spot", "same_cloud", "fastest")])
def test_where_a_cluster_is_stands_beside_its_name_only_where_its_amount_has_room(
    region: str, views: tuple[str, ...]
) -> None:
    plain = hand_built.option(views=views)
    cluster = plain.spec.model_copy(update={"placement": plain.spec.placement.model_copy(update={"region": region})})
    chart = bill_chart([replace(plain, placements=(cluster,))], ceiling=None)
    (name,) = (each for each in of_class(chart, "name"))
    (amount,) = (each for each in of_class(chart, "amount"))
    letters = len("".join(name.itertext())) + len("".join(amount.itertext()))
    assert letters * BOLD_LETTER <= WIDTH
    assert ("us-east-1" in "".join(name.itertext())) == (region == "us-east-1")


@pytest.mark.parametrize("draw", [bill_chart, range_chart])
@pytest.mark.parametrize("goals", range(1, 8))
def test_a_name_of_many_goals_touches_no_amount(draw: Callable[..., str], goals: int) -> None:
    views = ("cheapest", "no_spot", "same_cloud", "micro_cloud", "committed", "fastest", "alternative")[:goals]
    chart = draw([replace(hand_built.doubtful(), views=views)], ceiling=None)
    (name,), (amount, *_) = of_class(chart, "name"), of_class(chart, "amount")
    assert len("".join(name.itertext()) + "".join(amount.itertext())) * BOLD_LETTER <= WIDTH
    assert "cheapest" in "".join(name.itertext())


@settings(derandomize=True)
@given(st.lists(st.tuples(st.floats(80, 680), st.floats(70, 320)), min_size=1, max_size=5))
def test_the_words_of_a_run_stand_over_no_disc_and_no_other_words(places: list[tuple[float, float]]) -> None:
    discs = [Disc(*places[group[0]], "ABCDE"[at]) for at, group in enumerate(group_overlaps(places, near=40.0))]
    said = ["2,286.54 USD"] * len(discs)
    boxes = [each.box(PHONE_LETTER * len(said[0])) for each in place_labels(discs, said)]
    every = [*boxes, *(disc.box for disc in discs)]
    over = [
        (one, other)
        for at, one in enumerate(boxes)
        for other in every[at + 1 :]
        if one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
    ]
    assert not over or len(discs) > 2, "two points always have room"


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([(330, 205, "A, B"), (106, 182, "C"), (330, 188, "D"), (330, 92, "E")], "2,286.54 USD"),
        ([(570, 122, "A"), (570, 92, "B"), (290, 91, "C")], "27,048,888.26 USD"),
    ],
)
def test_points_beside_and_above_each_other_keep_their_words_apart(
    places: list[tuple[float, float, str]], said: str
) -> None:
    """A quick run and slow ones of nearly the same cost, as in the demo; and late ones that cost millions."""
    discs = [Disc(*each) for each in places]
    boxes = [each.box(PHONE_LETTER * len(said)) for each in place_labels(discs, [said] * len(discs))]
    every = [*boxes, *(disc.box for disc in discs)]
    for at, one in enumerate(boxes):
        assert not any(
            one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
            for other in every[at + 1 :]
        )


@pytest.mark.parametrize(("ceiling", "drawn"), [("12000", True), ("16000", True), ("1000000", False)])
def test_a_ceiling_far_off_does_not_squeeze_the_bars(ceiling: str, *, drawn: bool) -> None:
    assert bool(of_class(bill_chart([hand_built.option()], ceiling=Decimal(ceiling)), "ceiling")) is drawn


def test_a_floor_is_marked_in_the_charts() -> None:
    assert "&gt;= 10,029.27 (2 unpriced)" in bill_chart([hand_built.doubtful()], ceiling=None)
    chart = range_chart([hand_built.doubtful()], ceiling=None)
    amounts = ["".join(each.itertext()) for word in ("amount", "reach") for each in of_class(chart, word)]
    assert ">= 10,029.27 expected" in amounts
    assert all(part.startswith(">= ") for each in amounts for part in each.split(" to "))


@given(st.lists(st.integers(min_value=0, max_value=10**7), min_size=3, max_size=3), st.integers(1, 10**8))
def test_a_range_reaches_from_min_to_max_with_the_mark_between(amounts: list[int], ceiling: int) -> None:
    least, expected, most = sorted(amounts)
    chart = range_chart([option_at(str(least), str(expected), str(most))], ceiling=Decimal(ceiling))
    (band,), (mark,) = of_class(chart, "band"), of_class(chart, "mark")
    left = float(band.get("x", "0"))
    middle = float(mark.get("x", "0")) + 3
    assert left - 0.2 <= middle <= left + float(band.get("width", "0")) + 0.2
    assert left + float(band.get("width", "0")) <= WIDTH


@settings(derandomize=True)
@given(amounts=st.lists(st.integers(min_value=0, max_value=10**6), min_size=3, max_size=3), is_floor=st.booleans())
def test_both_ends_of_a_bar_touch_nothing_on_a_phone(amounts: list[int], *, is_floor: bool) -> None:
    least, expected, most = (str(each) for each in sorted(amounts))
    option = option_at(least, expected, most)
    if is_floor:
        option = replace(option, bill=type(option.bill)((*option.bill.lines, *hand_built.doubtful().bill.unpriced)))
    spans: list[tuple[float, float]] = []
    for each in of_class(range_chart([option], ceiling=None), "reach"):
        wide, x = REACH_LETTER * len("".join(each.itertext())), float(each.get("x", "0"))
        spans.append((x - wide, x) if "end" in (each.get("class") or "") else (x, x + wide))
    assert all(left >= -MARKER and right <= WIDTH for left, right in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(sorted(spans)))


def test_runs_stand_at_their_hours_and_usd_and_equal_ones_share_a_marker() -> None:
    fast = replace(hand_built.option(), runs=(replace(hand_built.option().runs[0], hours=Decimal(100)),))
    chart = run_chart([hand_built.option(), hand_built.doubtful(), fast], workload="train", deadline_days=Decimal(14))
    letters = {each.text: float(each.get("x", "0")) for each in of_class(chart, "letter")}
    assert set(letters) == {"A, B", "C"}
    dear = replace(hand_built.option(), runs=(replace(hand_built.option().runs[0], usd=Decimal("7390.5")),))
    merged = run_chart([hand_built.option(), dear], workload="train", deadline_days=None)
    assert "7,380.63 to 7,390.50 USD, 12 d 13 h" in ["".join(each.itertext()) for each in of_class(merged, "amount")]
    ratio = (letters["C"] - lines.LEFT) / (letters["A, B"] - lines.LEFT)
    assert ratio == pytest.approx(100 / 301.25, abs=0.01)
    (deadline,) = of_class(chart, "ceiling")
    further = (float(deadline.get("x1", "0")) - lines.LEFT) / (letters["C"] - lines.LEFT)
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
        found = compare_ownership(option.buying)
        assert found is not None
        crossed = next((at for at, usd in enumerate(found.owned) if at and usd < found.rented[at]), None)
        assert crossed == option.buying.break_even_month
        chart = owning_chart(option.buying, found, every=(0,))
        assert len(of_class(chart, "even")) == (crossed is not None)
        assert len(of_class(chart, "rented")) == len(of_class(chart, "owned")) == 1


def test_servers_whose_costs_nobody_knows_have_a_row_and_no_chart() -> None:
    made = kit.made("demo")
    drawn = draw(hand_built.quote(), checklist=made.checklist, catalog=made.catalog, standings=())
    assert "buying" not in drawn


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
    assert format_tick(Decimal(tick)) == said


def test_places_that_touch_are_one() -> None:
    assert group_overlaps([(0, 0), (5, 5), (100, 0), (0, 90)], near=16) == [[0, 1], [2], [3]]


@pytest.mark.parametrize("usd", ["0.6", "2", "5", "11", "30", "90"])
@pytest.mark.parametrize("pool", ["a", "finetune-70b", "a-workload-with-a-name-of-forty-letters-"])
def test_the_words_of_a_pool_stay_inside_the_market_chart(pool: str, usd: str) -> None:
    made = kit.made("demo")
    (standing, *_) = made.standings
    said = replace(standing.pools[0], pool=pool, usd=Decimal(usd))
    chart = market_chart(replace(standing, pools=(said,)), made.catalog.providers)
    (label,) = of_class(chart, "amount")
    wide, x = LETTER * len("".join(label.itertext())), float(label.get("x", "0"))
    left = x - wide if "end" in (label.get("class") or "") else x
    assert left >= 0
    assert left + wide <= WIDTH
