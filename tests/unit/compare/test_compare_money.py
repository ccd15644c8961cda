from __future__ import annotations

from diff_kit import line

from planning.compare.amounts import amount_of, delta_of, moves, rises, sum_of
from planning.compare.lines import components


def test_an_unpriced_line_is_counted_and_never_taken_for_nothing() -> None:
    amount = amount_of([line("pool/train/machine", "10.005"), line("network/egress", None)])
    assert amount == {"usd_per_month": {"min": "10.01", "expected": "10.01", "max": "10.01"}, "unpriced": 1}


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
    assert moves(fallen)
    assert not rises(fallen)


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
