from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moving_kit import at, billed, bucket, example, line, move
from pydantic import TypeAdapter

from planning.costs.bill import Bill, BillGroup, LineItem
from planning.relocation.costs.break_even import BreakEven, break_even
from planning.relocation.durations import Rate, Rates
from planning.relocation.plan_form import (
    BreakEvenForm,
    MovingBillForm,
    TimesForm,
    break_even_form,
    moving_bill_form,
    times_form,
)
from planning.relocation.write_freeze import FreezeRequest, times
from planning.spec.lock_content import State
from planning.values.money import Range

DAY = date(2027, 1, 31)


def once(usd: str | None, *, low: str | None = None, high: str | None = None, most: int | None = None) -> Bill:
    amount = None if usd is None else Range(Decimal(low or usd), Decimal(usd), Decimal(high or usd))
    item = LineItem(
        key="move",
        label="the move",
        group=BillGroup.NETWORK,
        item="x",
        state=State.UNPRICED if usd is None else State.PRICED,
        quantity=Range.exactly(1),
        unit="",
        usd_per_unit=None,
        usd_per_month=amount,
        source="a page",
        as_of=None,
        at_most_usd_per_month=None if most is None else Decimal(most),
    )
    return Bill((item,))


def found(cost: Bill, *, old: tuple[str | None, ...], new: tuple[str | None, ...]) -> BreakEven:
    source, target = at(example("demo"), provider="aws", region="us-east-1", stack="old"), example("demo")
    return break_even(
        cost,
        source=billed(source, *(line(f"a{n}", usd) for n, usd in enumerate(old))),
        target=billed(target, *(line(f"a{n}", usd) for n, usd in enumerate(new))),
        from_day=DAY,
    )


def test_what_was_paid_once_is_saved_by_a_day() -> None:
    # a month is 730 h, 30 and ten 24ths of a day: a year of saving 1,000 covers 12,000
    result = found(once("12000"), old=("3000",), new=("2000",))
    assert result.verdict == "dated"
    assert result.earliest == result.expected == result.latest == DAY + timedelta(days=365)


def test_ranges_make_a_span_of_days() -> None:
    source = billed(example("demo"), line("a", "3000", low="2500", high="5000"))
    target = billed(example("demo"), line("a", "2000"), stack="new")
    result = break_even(once("1000", low="500", high="3000"), source=source, target=target, from_day=DAY)
    assert result.saved == (500, 1000, 3000)
    assert result.earliest == DAY + timedelta(days=6)  # 500 / 3,000 of 30.4 days
    assert result.expected == DAY + timedelta(days=31)
    assert result.latest == DAY + timedelta(days=183)  # 3,000 / 500 months


def test_a_target_that_is_dearer_never_pays() -> None:
    result = found(once("1"), old=("2000",), new=("3000",))
    assert result.verdict == "never"
    assert result.saved[1] == -1000


def test_a_target_that_is_dearer_in_some_months_may_never_pay() -> None:
    source = billed(example("demo"), line("a", "3000", low="1000", high="5000"))
    target = billed(example("demo"), line("a", "2000"), stack="new")
    result = break_even(once("1000"), source=source, target=target, from_day=DAY)
    assert result.verdict == "dated"
    assert result.latest is None
    assert "never at the worst" in result.words


def test_a_cost_without_a_price_leaves_only_a_day_before_which_it_is_not() -> None:
    cost = Bill((*once("1000").lines, *once(None).lines))
    result = found(cost, old=("3000",), new=("2000",))
    assert result.verdict == "undetermined"
    assert result.earliest == DAY + timedelta(days=31)
    assert result.expected is None
    assert "no price of the move" in result.words


def test_a_cost_that_something_bounds_counts_at_its_most_for_the_latest_day() -> None:
    cost = Bill((*once("1000").lines, *once(None, most=1000).lines))
    result = found(cost, old=("3000",), new=("2000",))
    assert result.verdict == "dated"
    assert result.expected == DAY + timedelta(days=31)
    assert result.latest == DAY + timedelta(days=61)


def test_a_target_that_is_dearer_as_far_as_it_has_a_price_says_by_how_much_and_names_no_day() -> None:
    source = billed(example("demo"), line("a", "2000", low="1000", high="9000"))
    target = billed(example("demo"), line("a", "2438.70", low="1000", high="4000"), line("b", None), stack="new")
    result = break_even(once("1000"), source=source, target=target, from_day=DAY)
    assert result.verdict == "undetermined"
    assert result.words == (
        "not at the expected cost: the target costs at least 438.70 USD more a month; no price of b (new)"
    )
    priced = billed(target, line("a", "2438.70", low="1000", high="4000"))
    open_cost = Bill((*once("1000").lines, *once(None).lines))
    words = break_even(open_cost, source=source, target=priced, from_day=DAY).words
    assert "costs 438.70 USD more a month; no price of the move" in words
    unpriced = billed(source, *source.bill, line("c", None))
    words = break_even(once("1000"), source=unpriced, target=target, from_day=DAY).words
    assert "undetermined: no earliest day" in words


def test_a_source_without_a_price_of_something_names_no_day_at_all() -> None:
    result = found(once("1000"), old=("3000", None), new=("2000",))
    assert result.verdict == "undetermined"
    assert result.earliest is None


def test_a_dearer_target_that_has_no_price_of_something_never_pays_whatever_that_is() -> None:
    assert found(once("1000"), old=("2000",), new=("3000", None)).verdict == "never"


def test_what_is_paid_once_is_in_neither_month() -> None:
    source = billed(example("demo"), line("a", "2000"))
    target = billed(example("demo"), line("a", "1000"), line("services/onboarding", "5000"), stack="new")
    assert break_even(once("1"), source=source, target=target, from_day=DAY).saved[1] == 1000


def test_a_hundred_years_are_never() -> None:
    assert found(once("1000000"), old=("2000.01",), new=("2000",)).verdict == "never"


@given(
    cost=st.integers(0, 10**6),
    saving=st.integers(1, 10**5),
    spread=st.integers(0, 10**5),
)
def test_the_days_are_in_order(cost: int, saving: int, spread: int) -> None:
    source = billed(example("demo"), line("a", "200000", low="200000", high=str(200_000 + spread)))
    target = billed(example("demo"), line("a", str(200_000 - saving)), stack="new")
    result = break_even(once(str(cost), high=str(cost + spread)), source=source, target=target, from_day=DAY)
    days = [day for day in (result.earliest, result.expected, result.latest) if day]
    assert days == sorted(days)
    assert all(day >= DAY for day in days)


def test_forms_are_closed_and_say_what_is_not_known_with_null() -> None:
    bill = moving_bill_form(move(bucket(50, objects=10**6), to=("gcp", "us-central1")))
    shown = times_form(times([bucket(1)], rates=Rates(bytes=Rate.of_gbps(1)), asked=FreezeRequest(window_seconds=60)))
    even = break_even_form(found(once(None), old=("3000",), new=("2000",)))
    for shape, form in ((MovingBillForm, bill), (TimesForm, shown), (BreakEvenForm, even)):
        again = TypeAdapter(shape).validate_json(json.dumps(form), strict=True)
        assert again == form
    assert even["expected"] is None
    assert shown["rounds"]["count"] is None
    assert shown["fits"] == "no"
    assert next(each["usd_per_month"] for each in bill["bill"]["lines"] if each["state"] == "unpriced") is None


@pytest.mark.parametrize("shape", [MovingBillForm, TimesForm, BreakEvenForm])
def test_no_form_takes_a_field_that_it_does_not_know(shape: type) -> None:
    assert TypeAdapter(shape).json_schema()["additionalProperties"] is False
