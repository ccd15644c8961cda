"""A diff marks what is estimated, as a bill does; so do the price of a preview and the bill of a move."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import hand_built
import pytest
from forms import amount, delta

from cli.views.diff import amounts
from cli.views.price import changes, sums
from cli.views.relocation import line_amounts, sum_cells
from planning.costs.bill import BillGroup
from planning.costs.json_shapes import line_form
from planning.costs.resources.stack_cost import ResourceCost, StackCost
from planning.diff.bill_lines import amount_of, components, sum_of
from planning.quoting.price_report import PriceReport
from planning.spec.lock_content import State

LINE = hand_built.estimated("network/egress", BillGroup.NETWORK)


@pytest.mark.parametrize(
    ("unpriced", "estimated", "said"),
    [
        (0, 0, "1,234.50"),
        (0, 1, "~1,234.50"),
        (2, 1, "at least ~1,234.50, 2 without a price"),
        (2, 0, "at least 1,234.50, 2 without a price"),
    ],
)
def test_an_amount_of_a_side(unpriced: int, estimated: int, said: str) -> None:
    assert amounts.amount(amount("1234.50", unpriced=unpriced, estimated=estimated)) == said


def test_a_change_that_rests_on_an_estimate_is_marked() -> None:
    old, new = amount("100.00"), amount("150.00", estimated=1)
    assert amounts.delta(delta(old, new), old, new) == "~+50.00"
    assert amounts.delta(delta(old, old), old, old) == "0.00"
    assert amounts.headline(delta(old, new), old, new) == "~+50.00 USD a month (+50.0%)"


def test_estimated_lines_are_counted_on_each_side() -> None:
    form = line_form(LINE)
    assert amount_of([form, form])["estimated"] == 2
    assert sum_of([amount_of([form]), None, amount("1.00")])["estimated"] == 1
    (component,) = components([], [form])
    assert component["new"] is not None
    assert component["new"]["estimated"] == 1


def test_a_price_that_becomes_an_estimate_is_a_change_of_price() -> None:
    priced = line_form(hand_built.line("network/egress", BillGroup.NETWORK, usd="3"))
    (component,) = components([priced], [line_form(LINE)])
    assert component["lines"][0]["change"] == "price"


def test_a_preview_says_what_is_estimated_and_on_what_it_leans() -> None:
    cost = ResourceCost(urn="urn:x::disk", type="aws:ebs/volume:Volume", state=State.ESTIMATED, lines=(LINE,))
    report = PriceReport(stack="mine", old=None, new=StackCost((cost,)))
    (change,) = changes(report)
    assert (change.state, change.note) == (State.ESTIMATED, LINE.note)
    assert "new: ~1,460.00 (1 estimated), max ~2,920.00 (1 estimated)" in list(sums(report))


def test_a_move_marks_what_a_lock_estimated() -> None:
    form = line_form(replace(LINE, usd_per_unit=None, usd_per_unit_range=None))
    assert line_amounts(form) == ("~730.00", "~1,460.00", "~2,920.00")
    assert sum_cells([form]) == (0, ("~730.00", "~1,460.00", "~2,920.00"))
    assert Decimal(form["quantity"]["max"]) == 730
