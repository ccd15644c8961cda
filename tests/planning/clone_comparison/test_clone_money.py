from __future__ import annotations

from decimal import Decimal

from differences_kit import across, billed, catalog, demo, line, shown
from hypothesis import given
from hypothesis import strategies as st

from planning.clone.comparison.price_lines import price_lines
from planning.clone.comparison.stack_comparison import compare
from planning.spec.lock import Lock

HOME = demo("aws", "us-east-1")


def two(old: list[tuple[str, str | None]], new: list[tuple[str, str | None]]) -> tuple[Lock, Lock]:
    return billed(HOME, *(line(*each) for each in old)), billed(HOME, *(line(*each) for each in new))


def test_a_stack_beside_itself_differs_in_nothing() -> None:
    found = compare(HOME, HOME, catalog=catalog())
    assert found.money.components == ()
    assert found.money.delta["usd_per_month"]["expected"] == "0.00"
    assert found.capabilities == ()
    assert {each.standing for each in found.security} == {"equal"}
    assert found.latency.commands == ()


def test_each_line_that_moves_is_there_with_both_sides() -> None:
    found = price_lines(
        *two([("pool/a/machine", "100"), ("network/nat", "5")], [("pool/a/machine", "90"), ("logs", "1")])
    )
    lines = {each["key"]: each for component in found.components for each in component["lines"]}
    assert {key: each["change"] for key, each in lines.items()} == {
        "pool/a/machine": "price",
        "network/nat": "removed",
        "logs": "added",
    }
    assert lines["pool/a/machine"]["delta"]["usd_per_month"]["expected"] == "-10.00"
    assert found.delta["usd_per_month"]["expected"] == "-14.00"


def test_a_price_that_is_lost_is_no_saving() -> None:
    old, new = two([("storage/warm", "696"), ("logs", "10")], [("storage/warm", None), ("logs", "12")])
    found = price_lines(old, new)
    assert found.comparable["usd_per_month"]["expected"] == "2.00"
    assert [(each.key, each.priced_on) for each in found.one_sided] == [("storage/warm", "old")]
    assert found.new["unpriced"] == 1


def test_a_price_that_is_won_is_no_rise() -> None:
    found = price_lines(*two([("storage/warm", None), ("logs", "10")], [("storage/warm", "696"), ("logs", "10")]))
    assert found.comparable["usd_per_month"]["expected"] == "0.00"
    assert [each.priced_on for each in found.one_sided] == ["new"]


def test_a_tier_that_is_reached_on_one_side_only_stays_in_the_sum() -> None:
    found = price_lines(*two([("network/egress", "90")], [("network/egress", "90"), ("network/egress#2", "8")]))
    assert found.comparable["usd_per_month"]["expected"] == "8.00"
    assert found.one_sided == ()


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"),
            st.none() | st.integers(0, 10**6).map(str),
            st.none() | st.integers(0, 10**6).map(str),
        ),
        unique_by=lambda each: each[0],
    )
)
def test_the_change_is_that_of_what_both_sides_can_price(rows: list[tuple[str, str | None, str | None]]) -> None:
    old, new = two([(key, before) for key, before, _ in rows], [(key, after) for key, _, after in rows])
    found = price_lines(old, new)
    both = [(Decimal(before), Decimal(after)) for _, before, after in rows if before is not None and after is not None]
    expected = sum((after - before for before, after in both), Decimal(0))
    assert Decimal(found.comparable["usd_per_month"]["expected"]) == expected
    assert len(found.one_sided) == sum((before is None) != (after is None) for _, before, after in rows)


def test_bills_of_two_price_lists_say_so() -> None:
    later = HOME.model_copy(update={"prices_digest": "other", "contract_months": 36})
    first, second = price_lines(HOME, later).notes
    assert "part of the difference is time, not place" in first
    assert second == "the contracts differ: 12 and 36 months"


def test_from_aws_to_google_every_line_is_printed_with_both_sides() -> None:
    text = shown(across())
    one_sided = {each.key for each in across().money.one_sided}
    for component in across().money.components:
        assert component["name"] in text or {each["key"].partition("#")[0] for each in component["lines"]} <= one_sided
        for each in component["lines"]:
            assert each["label"] in text
    assert "source" in text
    assert "clone" in text


def test_a_line_without_a_price_on_one_side_has_no_change_in_print() -> None:
    old, new = two([("storage/warm", "696"), ("logs", "10")], [("storage/warm", None), ("logs", "12")])
    text = shown(compare(old, new, catalog=catalog()))
    assert "-696" not in text
    assert "+2.00" in text
    below = text.partition("Priced on one side only, and not in the change:")[2]
    assert [row.split() for row in below.splitlines() if "storage/warm" in row] == [
        ["line", "of", "storage/warm", "696.00", "no", "price"]
    ]
    assert "storage/warm" not in text.partition("Priced on one side only")[0]
