"""What an estimate does to a verdict, its headroom, savings, growth and the guard: its maximum counts."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_interval import SHARE, limits, line

from planning.ceilings.savings import Reduction, apply_reduction, knobs, monthly_amount
from planning.ceilings.verdict import Interval, Judgement, judge, of_lines
from planning.costs.bill import Bill, BillGroup, LineItem, lock_line
from planning.costs.node_prices import node_prices
from planning.spec.lock_content import State
from planning.values.money import Range
from planning.values.verdict import Verdict

LIMITS = st.integers(min_value=0, max_value=4000)


def estimated(key: str, least: int, expected: int, most: int, *, units: int = 1) -> LineItem:
    rates = Range(Decimal(least), Decimal(expected), Decimal(most))
    return replace(
        line(key, expected),
        state=State.ESTIMATED,
        quantity=Range.exactly(units),
        usd_per_unit=rates.expected,
        usd_per_month=Range.exactly(units).by(rates),
        source="estimate",
        note="estimated: 12 other regions",
        usd_per_unit_range=rates,
    )


def judged(
    *lines: LineItem, binds: str = "expected", months: int = 12, hour: int | None = None, **usd: int
) -> Judgement:
    ceiling = limits(**usd).model_copy(update={"binds": binds})
    dearest = None if hour is None else Decimal(hour)
    return judge(Bill(lines), ceiling, contract_months=months, usd_per_gpu_hour=dearest)


DISK = estimated("storage/cold", 10, 20, 40)


@pytest.mark.parametrize("binds", ["min", "expected", "max"])
@pytest.mark.parametrize(
    ("limit", "verdict"),
    [(140, Verdict.WITHIN), (139, Verdict.UNDETERMINED), (110, Verdict.UNDETERMINED), (109, Verdict.OVER)],
)
def test_within_at_the_maximum_and_over_at_the_minimum_whatever_the_ceiling_applies_to(
    binds: str, limit: int, verdict: Verdict
) -> None:
    assert judged(line("network/egress", 100), DISK, binds=binds, usd_per_month=limit).verdict is verdict


def test_the_reason_names_both_ends() -> None:
    found = judged(line("network/egress", 100), DISK, usd_per_month=120)
    assert found.reason == "the expected cost of a month is 110.00 USD to 140.00 USD, the ceiling 120.00 USD"
    within = judged(line("network/egress", 100), DISK, usd_per_month=150)
    assert within.reason == "the expected cost of a month is 110.00 USD to 140.00 USD, the ceiling 150.00 USD"


def test_support_moves_with_both_ends() -> None:
    lines = (line("network/egress", 100), DISK, line(SHARE, 12))
    assert of_lines(lines, "expected") == Interval(Decimal(121), Decimal(154))


@given(st.integers(0, 500), st.tuples(*(st.integers(0, 300),) * 3), st.integers(0, 50), LIMITS)
def test_a_verdict_holds_wherever_in_the_range_the_price_lies(
    base: int, ends: tuple[int, int, int], true: int, limit: int
) -> None:
    least, expected, most = sorted(ends)
    rate = min(max(least, true), most)
    found = judged(line("network/egress", base), estimated("storage/cold", least, expected, most), usd_per_month=limit)
    if found.verdict is Verdict.WITHIN:
        assert base + rate <= limit
    if found.verdict is Verdict.OVER:
        assert base + rate > limit


def test_the_headroom_is_what_the_ceiling_leaves_above_the_most_that_is_known() -> None:
    waiting = (line("network/a", None), line("network/b", None))
    found = judged(line("network/egress", 100), DISK, *waiting, usd_per_month=15_000)
    assert found.verdict is Verdict.UNDETERMINED
    assert found.headroom_usd_per_month == 14_860
    named, left = "no price is known for network/a; network/b", "14,860 USD a month together"
    assert found.reason == f"{named}; within, if these 2 items cost less than {left}"
    alone = judged(DISK, waiting[0], usd_per_month=100)
    assert alone.reason.endswith("within, if this item costs less than 60 USD a month")


@given(st.integers(1, 400), st.integers(0, 300), st.integers(0, 400), LIMITS, st.booleans())
def test_what_costs_less_than_the_headroom_is_within(
    base: int, most: int, missing: int, limit: int, has_support: bool
) -> None:
    support = (line(SHARE, base // 10),) if has_support else ()
    known = (line("network/egress", base), estimated("storage/cold", 0, 0, most), *support)
    told = judged(*known, line("network/b", None), usd_per_month=limit)
    if told.headroom_usd_per_month is None:
        return
    least = min(Decimal(missing), told.headroom_usd_per_month - 1)
    if least >= 0:
        assert judged(*known, line("network/b", None, most=least), usd_per_month=limit).verdict is Verdict.WITHIN


def test_the_tighter_of_two_ceilings_is_the_headroom() -> None:
    found = judged(line("a", 100), line("network/b", None), usd_per_month=1000, usd_per_contract=6000)
    assert found.headroom_usd_per_month == 400


def test_there_is_no_headroom_where_money_is_not_what_the_verdict_waits_for() -> None:
    machine = line("pool/train/machine", None, group=BillGroup.COMPUTE)
    assert judged(machine, usd_per_month=1000, usd_per_gpu_hour=5).headroom_usd_per_month is None
    assert judged(machine, usd_per_month=1000).headroom_usd_per_month == 1000
    assert judged(line("network/b", None)).headroom_usd_per_month is None
    full = judged(estimated("storage/cold", 10, 20, 200), line("network/b", None), usd_per_month=100)
    assert full.headroom_usd_per_month is None
    assert full.reason.endswith("the rest alone may come to the ceiling")


def test_savings_count_the_maximum_and_shrink_the_range() -> None:
    bill = Bill((replace(estimated("storage/cold", 1, 2, 4, units=100), unit="GB-month"),))
    assert monthly_amount(bill, "expected") == 400
    (knob,) = knobs(bill)
    left = apply_reduction(bill, Reduction(knob=knob, given_up=40))
    assert monthly_amount(left, "expected") == 240
    assert left.usd_per_month == Range(Decimal(60), Decimal(120), Decimal(240))


def test_of_several_tiers_the_highest_go_first_at_their_own_rates() -> None:
    first = replace(estimated("storage/cold", 2, 3, 4, units=100), unit="GB-month")
    second = replace(estimated("storage/cold#2", 1, 2, 3, units=100), unit="GB-month")
    bill = Bill((first, second))
    (knob,) = knobs(bill)
    left = apply_reduction(bill, Reduction(knob=knob, given_up=150))
    assert left.usd_per_month == Range(Decimal(100), Decimal(150), Decimal(200))


def test_the_guard_counts_the_maximum() -> None:
    found = node_prices([lock_line(estimated("network/nat_gateway", 10, 20, 40))])
    assert found.other_most_usd_per_month == 40
    assert found.other_usd_per_month == 20


def test_what_is_paid_by_the_node_grows_at_the_most_expensive_region() -> None:
    machine = replace(line("pool/train/machine", 5, group=BillGroup.COMPUTE), quantity=Range.exactly(730))
    machine = replace(machine, usd_per_month=Range.exactly(3650))
    gateway = estimated("network/nat_gateway", 1, 2, 4, units=730)
    bill = [lock_line(each) for each in (machine, gateway)]
    found = node_prices(bill, nodes={"pool/train": 2})
    assert found.other_most_usd_per_month == 2 * 730 * 4
