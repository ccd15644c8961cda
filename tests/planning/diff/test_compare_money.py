from __future__ import annotations

from decimal import Decimal

from diff_kit import line
from hypothesis import given
from hypothesis import strategies as st

from planning.diff.bill_lines import (
    amount_of,
    components,
    delta_of,
    drift_of,
    has_change,
    has_increase,
    may_increase,
    sum_of,
)


def test_an_unpriced_line_is_counted_and_never_taken_for_nothing() -> None:
    amount = amount_of([line("pool/train/machine", "10.005"), line("network/egress", None)])
    assert amount == {
        "usd_per_month": {"min": "10.01", "expected": "10.01", "max": "10.01"},
        "unpriced": 1,
        "estimated": 0,
    }


def test_a_percentage_needs_something_before() -> None:
    old, new = amount_of([line("a", "100")]), amount_of([line("a", "125")])
    assert delta_of(old, new)["percent"] == "25.0"
    assert delta_of(None, new) == {
        "usd_per_month": {"min": "125.00", "expected": "125.00", "max": "125.00"},
        "percent": None,
    }


def test_a_delta_may_fall_in_every_reading() -> None:
    fallen = delta_of(amount_of([line("a", "100")]), None)
    assert fallen["usd_per_month"]["expected"] == "-100.00"
    assert fallen["percent"] == "-100.0"
    assert has_change(fallen)
    assert not has_increase(fallen)


def test_sums_keep_what_is_unpriced() -> None:
    assert sum_of([amount_of([line("a", None)]), None, amount_of([line("b", "2")])])["unpriced"] == 1


def test_lines_are_told_apart_by_what_of_them_moves() -> None:
    old = [
        line("pool/train/machine", "10", per="10"),
        line("pool/train/disk", "1", per="1"),
        line("storage/warm", "5"),
        line("network/nat", "3", quantity="1", per="3"),
        line("network/address", "3"),
        line("platform/loki", "4"),
    ]
    new = [
        line("pool/train/machine", "20", quantity="2", per="10"),
        line("pool/train/disk", "2", per="2"),
        line("storage/cold", "7"),
        line("network/nat", "8", quantity="2", per="4"),
        line("network/address", None),
        line("platform/loki", "4"),
    ]
    found = {each["key"]: each["change"] for component in components(old, new) for each in component["lines"]}
    assert found == {
        "pool/train/machine": "quantity",
        "pool/train/disk": "price",
        "storage/warm": "removed",
        "storage/cold": "added",
        "network/nat": "both",
        "network/address": "unpriced",
    }


def test_a_component_sums_the_lines_that_stand_still_too_and_the_largest_comes_first() -> None:
    old = [line("pool/train/machine", "10"), line("pool/train/disk", "1"), line("network/nat", "3")]
    new = [line("pool/train/machine", "30"), line("pool/train/disk", "1"), line("network/nat", "4")]
    first, second = components(old, new)
    assert (first["name"], second["name"]) == ("pool/train", "network")
    assert first["new"] is not None
    assert first["new"]["usd_per_month"]["expected"] == "31.00"
    assert [each["key"] for each in first["lines"]] == ["pool/train/machine"]


def test_equal_bills_move_nothing() -> None:
    same = [line("pool/train/machine", "10"), line("network/egress", None)]
    assert components(same, same) == []


def test_a_price_that_vanished_is_no_saving() -> None:
    old = [
        line("pool/train/machine", "100"),
        line("storage/cold", "50"),
        line("storage/cold#2", "5"),
        line("logs", "2"),
    ]
    new = [line("pool/train/machine", None), line("storage/cold", None), line("logs", "3")]
    drift, lost = drift_of(old, new)
    assert (drift["usd_per_month"]["expected"], drift["percent"]) == ("1.00", "50.0")
    assert lost == ("pool/train/machine", "storage/cold")


def test_a_line_that_loses_its_price_makes_a_stack_no_cheaper() -> None:
    old = amount_of([line("a", "100"), line("b", None)])
    assert may_increase(old, amount_of([line("a", None), line("b", None)]))
    assert not may_increase(old, amount_of([line("a", "90"), line("b", None)]))
    assert not may_increase(old, None)
    assert may_increase(None, amount_of([line("b", None)]))


def test_a_fall_too_small_to_show_is_no_negative_nothing() -> None:
    assert delta_of(amount_of([line("a", "100000")]), amount_of([line("a", "99999.99")]))["percent"] == "0.0"


AMOUNTS = st.one_of(st.none(), st.integers(0, 10**9).map(lambda each: f"{Decimal(each) / 1000}"))
BILLS = st.dictionaries(
    st.sampled_from(
        ["pool/a/machine", "pool/a/machine#2", "pool/a/disk", "storage/cold", "storage/cold#2", "far/logs"]
    ),
    AMOUNTS,
)


@given(BILLS, BILLS)
def test_what_components_move_is_what_the_stack_moves_to_the_rounding(old: dict[str, str], new: dict[str, str]) -> None:
    sides = [[line(key, usd) for key, usd in bill.items()] for bill in (old, new)]
    whole = delta_of(*map(amount_of, sides))
    parts = components(*sides)
    for reading in ("min", "expected", "max"):
        moved = sum((Decimal(str(part["delta"]["usd_per_month"].get(reading))) for part in parts), Decimal(0))
        said = Decimal(str(whole["usd_per_month"].get(reading)))
        assert abs(moved - said) <= Decimal("0.01") * (len(parts) + 1)
