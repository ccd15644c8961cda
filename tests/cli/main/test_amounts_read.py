"""Amounts as sentences: plurals, signs, and USD that a derivation and a bill round in the same way."""

from __future__ import annotations

from decimal import Decimal

import hand_built
import pytest

from catalogs.model import Item
from catalogs.parsing import spell_unit, unit_of
from cli.terminal.amounts import days, describe_month, percent, quantity, usd
from cli.views.quote.derivations import describe_value
from planning.costs.bill import BillGroup
from planning.sizing.demand import SizingFigure
from planning.values.money import Range


@pytest.mark.parametrize(
    ("unpriced", "said"),
    [
        (0, "10,029.27 USD a month expected"),
        (1, ">= 10,029.27 USD a month expected (1 line unpriced)"),
        (2, ">= 10,029.27 USD a month expected (2 lines unpriced)"),
    ],
)
def test_a_floor_names_its_unit_before_what_is_missing(unpriced: int, said: str) -> None:
    lines = [hand_built.unpriced(f"line-{at}", BillGroup.NETWORK) for at in range(unpriced)]
    assert describe_month(hand_built.bill(*lines)) == said


@pytest.mark.parametrize(
    ("amounts", "unit", "said"),
    [
        (("730", "730", "730"), "hour", "730 hours"),
        (("1", "1", "1"), "hour", "1 hour"),
        (("0", "1", "1"), "hour", "0 / 1 / 1 hours"),
        (("1", "1", "1"), "month", "1 month"),
        (("72", "72", "72"), "GB-month", "72 GB-month"),
        (("2", "2", "2"), "", "2"),
        (("0.4", "0.4", "0.4"), "1k requests", "0.4 thousand requests"),
        (("1", "1", "1"), "1k requests", "1 thousand requests"),
        (("0", "4064", "15220"), "1k requests", "0 / 4,064 / 15,220 thousand requests"),
    ],
)
def test_a_quantity_has_the_plural_of_its_unit(amounts: tuple[str, str, str], unit: str, said: str) -> None:
    assert quantity(Range(*map(Decimal, amounts)), unit) == said


@pytest.mark.parametrize(
    ("value", "said"), [("0", "0%"), ("0.4", "0%"), ("-0.4", "0%"), ("-58.2", "-58%"), ("7", "+7%")]
)
def test_no_difference_has_no_sign(value: str, said: str) -> None:
    assert percent(Decimal(value)) == said


@pytest.mark.parametrize("amount", ["16.425", "16.435", "0.005", "1.6", "30000"])
def test_a_derivation_rounds_usd_as_the_bill_does(amount: str) -> None:
    figure = SizingFigure(
        subject="a", name="b", value=Decimal(amount), unit="USD a month", formula="", inputs=(), source=""
    )
    assert describe_value(figure) == f"{usd(Decimal(amount))} USD a month"


@pytest.mark.parametrize(
    ("value", "said"),
    [("14", "14 days"), ("1", "1 day"), ("2.5", "2.5 days"), ("0.25", "6 hours"), ("0.0416", "1 hour")],
)
def test_a_deadline_below_a_day_is_in_hours(value: str, said: str) -> None:
    assert days(Decimal(value)) == said


def test_no_unit_of_a_price_list_begins_with_a_number_where_it_follows_one() -> None:
    assert [unit for unit in map(unit_of, Item) if spell_unit(unit)[:1].isdecimal()] == []
