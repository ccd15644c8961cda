"""The HTML page: well formed, self-contained, escaped, and its bars as long as the amounts are."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from xml.etree import ElementTree as ET

import hand_built
import pytest

from driver.html.bars import LEFT, bill_chart
from driver.html.page import page
from driver.html.scale import scale, tick_step

SVG = "{http://www.w3.org/2000/svg}"


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text.removeprefix("<!doctype html>\n"))  # noqa: S314 - our own page


def test_the_page_is_well_formed_and_fetches_nothing() -> None:
    text = page(hand_built.quote(), ceiling=hand_built.ceilings())
    assert parsed(text).tag == "html"
    assert not re.search(r"https?://|src=|@import|url\(|<script|<link", text)


def test_the_page_shows_every_option_line_and_source() -> None:
    quote = hand_built.quote()
    text = page(quote, ceiling=hand_built.ceilings())
    for option in quote.options:
        assert option.id in text
        assert all(line.label in text for line in option.bill.lines)
    assert "list-2026-10, 2026-10-01" in text
    assert "allow spot machines" in text


def test_words_are_escaped() -> None:
    option = replace(hand_built.option(), notes=("<script>alert('1 & 2')</script>",), lock_in='"quoted" <b>')
    text = page(hand_built.quote(option), ceiling=hand_built.ceilings())
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    parsed(text)


def test_bars_add_up_to_the_expected_amount() -> None:
    option = hand_built.option()
    chart = parsed(bill_chart([option], ceiling=None))
    bars = [float(bar.get("width", "0")) for bar in chart.iter("rect")]
    whisker = next(each for each in chart.iter("line") if each.get("class") == "whisker")
    pixels_per_usd = (float(whisker.get("x2", "0")) - LEFT) / float(option.bill.usd_per_month.max)
    assert sum(bars) == pytest.approx(float(option.bill.usd_per_month.expected) * pixels_per_usd, abs=0.3)


@pytest.mark.parametrize(("ceiling", "drawn"), [("30000", True), ("60000", True), ("1000000", False)])
def test_a_ceiling_far_off_does_not_squeeze_the_bars(ceiling: str, *, drawn: bool) -> None:
    chart = bill_chart([hand_built.option()], ceiling=Decimal(ceiling))
    assert ('class="ceiling"' in chart) is drawn


def test_a_floor_is_marked_in_the_chart() -> None:
    chart = bill_chart([hand_built.doubtful()], ceiling=None)
    assert "&gt;= 10,029.27" in chart
    assert "2 unpriced" in chart


@pytest.mark.parametrize("most", ["0.4", "1", "9.99", "10", "37", "64000", "99999.99", "1234567"])
def test_an_axis_ends_on_a_round_tick_behind_the_longest_bar(most: str) -> None:
    axis = scale(Decimal(most), left=0, width=100)
    assert axis.most >= Decimal(most)
    assert axis.ticks[-1] == axis.most
    assert 2 <= len(axis.ticks) <= 9
    assert axis.at(axis.most) == 100
    assert tick_step(Decimal(most)).normalize().as_tuple().digits in {(1,), (2,), (2, 5), (5,)}


def test_nothing_to_draw_is_no_fault() -> None:
    option = replace(hand_built.option(), worth=(), runs=(), buying=None, lock_in="", notes=())
    parsed(page(hand_built.quote(option), ceiling=hand_built.ceilings(None)))
