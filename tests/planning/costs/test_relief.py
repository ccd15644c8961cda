from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.ceilings.savings import Reduction, Savings, apply_reduction, knobs, monthly_amount, relief
from planning.costs.bill import Bill, BillGroup, LineItem
from planning.spec.lock_content import State
from planning.values.money import HOURS_PER_MONTH, Range

READING = st.sampled_from(["min", "expected", "max"])
RATES = ((0, "0.1"), (10_000, "0.07"), (80_000, "0.05"))
PRICE = st.decimals(min_value="0.01", max_value=150, places=4)


def line(
    key: str, quantity: Range, usd: Decimal | str | int, *, unit: str, group: BillGroup, item: str = ""
) -> LineItem:
    price = Decimal(usd)
    return LineItem(
        key=key,
        label=key,
        group=group,
        item=item or key.rpartition("/")[2],
        state=State.PRICED,
        quantity=quantity,
        unit=unit,
        usd_per_unit=price,
        usd_per_month=quantity.times(price),
        source="a list",
        as_of=None,
    )


def machines(pool: str, nodes: Range, usd: Decimal | str | int) -> LineItem:
    hours = nodes.times(HOURS_PER_MONTH)
    return line(f"pool/{pool}/machine", hours, usd, unit="hour", group=BillGroup.COMPUTE)


def tier(name: str, gb: int, usd: Decimal | str | int) -> LineItem:
    return line(f"storage/{name}", Range.exactly(gb), usd, unit="GB-month", group=BillGroup.STORAGE)


def with_support(lines: list[LineItem], rates: Sequence[tuple[int, str]]) -> Bill:
    """The bill with a share of it, in tiers as AWS sells its support: from so many USD on, at that rate."""
    rest = Bill(tuple(lines)).usd_per_month
    base = [max(reading, Decimal(1000)) for reading in (rest.min, rest.expected, rest.max)]
    ends = [Decimal(above) for above, _ in rates[1:]]
    for number, (above, rate) in enumerate(rates):
        upto = ends[number] if number < len(ends) else max(base)
        held = Range(*(max(min(reading, upto) - above, Decimal(0)) for reading in base))
        if held.max > 0:
            key = "services/support" + (f"#{number + 1}" if number else "")
            lines = [*lines, line(key, held, rate, unit="USD", group=BillGroup.SERVICES, item="support_24x7")]
    return Bill(tuple(lines))


@st.composite
def bills(draw: st.DrawFn) -> Bill:
    counts = st.integers(min_value=0, max_value=8)
    lines: list[LineItem] = []
    for name in draw(st.lists(st.sampled_from(["a", "b", "c"]), unique=True, min_size=1)):
        readings = sorted(draw(st.tuples(counts, counts, counts)))
        lines.append(machines(name, Range(*(Decimal(each) for each in readings)), draw(PRICE)))
    for name in draw(st.lists(st.sampled_from(["warm", "cold"]), unique=True)):
        lines.append(tier(name, draw(st.integers(min_value=1, max_value=100_000)), draw(PRICE) / 100))
    return with_support(lines, RATES) if draw(st.booleans()) else Bill(tuple(lines))


def found(bill: Bill, limit: Decimal | int, *, reading: str = "expected", keep: tuple[str, ...] = ()) -> Savings | None:
    return relief(bill, Decimal(limit), judged=lambda each: monthly_amount(each, reading), keep=keep)


@given(bills(), st.decimals(min_value=0, max_value=1, places=3), READING)
def test_what_is_suggested_is_enough(bill: Bill, part: Decimal, reading: str) -> None:
    limit = monthly_amount(bill, reading) * part
    suggested = found(bill, limit, reading=reading)
    if suggested is not None:
        assert monthly_amount(suggested.bill, reading) <= limit


@given(bills(), st.decimals(min_value=0, max_value=1, places=3), READING)
def test_one_less_of_a_single_step_is_not_enough(bill: Bill, part: Decimal, reading: str) -> None:
    limit = monthly_amount(bill, reading) * part
    suggested = found(bill, limit, reading=reading)
    if suggested is None:
        return
    step, *others = suggested.steps
    if others or step.given_up == 1:
        return
    assert monthly_amount(apply_reduction(bill, replace(step, given_up=step.given_up - 1)), reading) > limit


@given(bills(), READING)
def test_support_after_a_step_is_what_a_bill_without_it_pays(bill: Bill, reading: str) -> None:
    for knob in knobs(bill):
        left = apply_reduction(bill, Reduction(knob=knob, given_up=knob.spare))
        rest = [line for line in left.lines if line.group is not BillGroup.SERVICES]
        rates = RATES if len(rest) < len(left.lines) else ()
        assert monthly_amount(left, reading) == pytest.approx(
            monthly_amount(with_support(rest, rates), reading), abs=Decimal("0.001")
        )


def test_the_cheapest_thing_that_is_enough_is_named() -> None:
    bill = Bill((machines("train", Range.exactly(4), 10), tier("warm", 1000, "0.1")))
    suggested = found(bill, monthly_amount(bill, "expected") - 50)
    assert suggested is not None
    words = "Cut storage/warm by 500 of 1,000 GB, if what it holds fits into the rest, which saves 50.00 USD a month"
    assert suggested.words == words


def test_nodes_are_cut_where_a_tier_is_not_enough() -> None:
    bill = Bill((machines("train", Range.exactly(4), 10), tier("warm", 1000, "0.1")))
    suggested = found(bill, monthly_amount(bill, "expected") - 7400)
    assert suggested is not None
    assert suggested.words == "Cut pool/train by 2 of 4 nodes, which saves 14,600.00 USD a month"


def test_several_things_are_given_up_where_no_single_one_is_enough() -> None:
    bill = Bill((machines("train", Range.exactly(4), 10), machines("serve", Range.exactly(2), 10)))
    suggested = found(bill, 7300)
    assert suggested is not None
    assert (
        suggested.words == "Leave pool/train out and cut pool/serve by 1 of 2 nodes, which saves 36,500.00 USD a month"
    )


def test_what_a_cluster_cannot_do_without_is_kept() -> None:
    bill = Bill((machines("system", Range.exactly(3), 1),))
    assert found(bill, 0, keep=("pool/system",)) is None
    assert found(bill, 0) is not None


def test_the_first_load_balancer_is_kept() -> None:
    hours = Range.exactly(3 * HOURS_PER_MONTH)
    bill = Bill((line("network/load_balancer", hours, "0.1", unit="hour", group=BillGroup.NETWORK),))
    assert [knob.spare for knob in knobs(bill)] == [2]


def test_a_resource_of_others_can_be_taken_out() -> None:
    bill = Bill((line("bigdisk/disk", Range.exactly(100), 1, unit="GB-month", group=BillGroup.STORAGE),))
    suggested = found(bill, 10)
    assert suggested is not None
    assert suggested.words == "Take bigdisk out, which saves 100.00 USD a month"


S3 = ((0, "0.023"), (50_000, "0.022"), (500_000, "0.021"))


def objects(gb: int) -> list[LineItem]:
    """A tier whose price falls with its size, as S3's does."""
    ends = [*(above for above, _ in S3[1:]), gb]
    found: list[LineItem] = []
    for number, (above, usd) in enumerate(S3):
        held = max(min(gb, ends[number]) - above, 0)
        key = "storage/cold" + (f"#{number + 1}" if number else "")
        if held:
            found.append(line(key, Range.exactly(held), usd, unit="GB-month", group=BillGroup.STORAGE))
    return found


@given(st.integers(min_value=1, max_value=800_000), st.decimals(min_value=0, max_value=1, places=3))
def test_less_of_a_tier_costs_what_a_smaller_one_does(gb: int, part: Decimal) -> None:
    bill = Bill(tuple(objects(gb)))
    suggested = found(bill, monthly_amount(bill, "expected") * part)
    if suggested is None:
        return
    (step,) = suggested.steps
    smaller = monthly_amount(Bill(tuple(objects(gb - step.given_up))), "expected")
    assert smaller == pytest.approx(monthly_amount(suggested.bill, "expected"), abs=Decimal("0.001"))
    assert smaller <= monthly_amount(bill, "expected") * part + Decimal("0.001")


def test_requests_stay_where_a_tier_shrinks() -> None:
    asked = line("storage/cold/reads", Range.exactly(1000), 1, unit="1k requests", group=BillGroup.STORAGE)
    bill = Bill((tier("cold", 1000, 1), asked))
    suggested = found(bill, 1500)
    assert suggested is not None
    assert suggested.steps[0].given_up == 500
    assert found(bill, 900) is None


def test_nodes_that_are_always_on_are_the_last_to_go() -> None:
    bill = Bill((machines("train", Range(Decimal(1), Decimal(2), Decimal(4)), 10),))
    for reading, limit, fewer in (("max", 14_600, 2), ("expected", 7300, 2), ("min", 7299, 4)):
        suggested = found(bill, limit, reading=reading)
        assert suggested is not None
        assert suggested.steps[0].given_up == fewer, reading


@given(bills(), st.decimals(min_value=0, max_value=1, places=3), READING)
def test_no_step_of_several_could_be_smaller(bill: Bill, part: Decimal, reading: str) -> None:
    limit = monthly_amount(bill, reading) * part
    suggested = found(bill, limit, reading=reading)
    steps = suggested.steps if suggested is not None and monthly_amount(bill, reading) > limit else ()
    for smaller in steps:
        left = bill
        for step in steps:
            less = step.given_up - (1 if step is smaller else 0)
            left = apply_reduction(left, replace(step, given_up=less)) if less else left
        assert monthly_amount(left, reading) > limit


def test_a_step_that_a_later_one_makes_needless_in_part_is_made_smaller() -> None:
    bill = Bill((machines("a", Range.exactly(4), 5), machines("b", Range.exactly(1), 30)))
    suggested = found(bill, monthly_amount(bill, "expected") - 31 * 730)
    assert suggested is not None
    assert {step.words for step in suggested.steps} == {"Leave pool/b out", "Cut pool/a by 1 of 4 nodes"}
