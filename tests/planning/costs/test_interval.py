from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.ceilings.verdict import Interval, exactly, judge, of_lines, with_bounds
from planning.costs.bill import Bill, BillGroup, LineItem, component_of, has_placement, in_part, placement_of
from planning.spec.lock import Ceilings
from planning.spec.lock_content import State
from planning.values.money import Range
from planning.values.verdict import Verdict

AMOUNTS = st.decimals(min_value=0, max_value=10**6, places=2)
ENDS = st.one_of(st.none(), AMOUNTS)
SHARE = "services/support"


def line(
    key: str, usd: Decimal | int | None, *, group: BillGroup = BillGroup.NETWORK, most: Decimal | int | None = None
) -> LineItem:
    """A line of one unit; without a price where `usd` is None."""
    amount = None if usd is None else Range.exactly(usd)
    share = key == SHARE
    return LineItem(
        key=key,
        label=key,
        group=BillGroup.SERVICES if share else group,
        item="support_24x7" if share else key.rpartition("/")[2],
        state=State.UNPRICED if usd is None else State.PRICED,
        quantity=Range.exactly(10 * (usd or 0)) if share else Range.exactly(1),
        unit="hour",
        usd_per_unit=Decimal("0.1") if share else (None if usd is None else Decimal(usd)),
        usd_per_month=amount,
        source="a list",
        as_of=None,
        at_most_usd_per_month=None if most is None else Decimal(most),
    )


def intervals() -> st.SearchStrategy[Interval]:
    def made(low: Decimal, more: Decimal | None) -> Interval:
        return Interval(low, None if more is None else low + more)

    return st.builds(made, AMOUNTS, ENDS)


@given(intervals(), intervals(), AMOUNTS)
def test_more_cost_never_makes_a_verdict_better(one: Interval, more: Interval, limit: Decimal) -> None:
    order = {Verdict.WITHIN: 0, Verdict.UNDETERMINED: 1, Verdict.OVER: 2}
    assert order[(one + more).against(limit)] >= order[one.against(limit)]


@given(intervals(), AMOUNTS)
def test_something_unknown_turns_nothing_into_within(one: Interval, limit: Decimal) -> None:
    verdict = (one + Interval(Decimal(0), None)).against(limit)
    assert verdict is (Verdict.OVER if one.against(limit) is Verdict.OVER else Verdict.UNDETERMINED)


@given(intervals(), AMOUNTS)
def test_what_is_within_is_within_wherever_in_the_interval_the_truth_lies(one: Interval, limit: Decimal) -> None:
    verdict = one.against(limit)
    if verdict is Verdict.WITHIN:
        assert one.high is not None
        assert one.high <= limit
    if verdict is Verdict.OVER:
        assert one.low > limit


@given(intervals(), AMOUNTS, AMOUNTS)
def test_a_higher_limit_never_lets_less_through(one: Interval, limit: Decimal, more: Decimal) -> None:
    if one.against(limit) is Verdict.WITHIN:
        assert one.against(limit + more) is Verdict.WITHIN


def test_an_interval_rises() -> None:
    with pytest.raises(ValueError, match="rises"):
        Interval(Decimal(2), Decimal(1))


def test_an_upper_bound_under_the_ceiling_passes_whatever_is_unknown() -> None:
    lines = (line("network/egress", 100), line("pool/train/machine", None, most=50))
    assert of_lines(lines, "expected") == Interval(Decimal(100), Decimal(150))
    assert of_lines(lines, "expected").against(Decimal(150)) is Verdict.WITHIN
    assert of_lines(lines, "expected").against(Decimal(149)) is Verdict.UNDETERMINED
    assert of_lines(lines, "expected").against(Decimal(99)) is Verdict.OVER


def test_support_grows_with_what_the_unknown_may_come_to() -> None:
    lines = (line("network/egress", 100), line("storage/warm", None, most=50), line(SHARE, 10))
    assert of_lines(lines, "expected") == Interval(Decimal(110), Decimal(165))
    assert of_lines(lines[2:], "expected", among=lines) == Interval(Decimal(10), Decimal(15))


def test_support_alone_has_no_bound_beside_something_unbounded() -> None:
    lines = (line("storage/warm", None), line(SHARE, 10))
    assert of_lines(lines[1:], "expected", among=lines) == Interval(Decimal(10), None)


def test_a_stated_bound_is_laid_on_lines_that_have_none() -> None:
    bill = Bill((line("storage/warm", None), line("storage/cold", None, most=3), line("network/egress", 1)))
    found = with_bounds(bill, lambda _: Decimal(7)).lines
    assert [each.at_most_usd_per_month for each in found] == [Decimal(7), Decimal(3), None]


def limits(**usd: int) -> Ceilings:
    fields = ("usd_per_month", "usd_per_contract", "usd_per_gpu_hour")
    return Ceilings.model_validate({**{name: usd.get(name) for name in fields}, "binds": "expected"})


def verdict(bill: Bill, *, months: int = 12, hour: int | None = None, **usd: int) -> Verdict:
    dearest = None if hour is None else Decimal(hour)
    return judge(bill, limits(**usd), contract_months=months, usd_per_gpu_hour=dearest).verdict


def test_a_quote_with_a_bounded_gap_is_judged_by_its_bound() -> None:
    bill = Bill((line("network/egress", 100), line("pool/train/machine", None, most=50)))
    assert verdict(bill, usd_per_month=150) is Verdict.WITHIN
    assert verdict(bill, usd_per_month=120) is Verdict.UNDETERMINED
    assert verdict(bill, usd_per_contract=1800) is Verdict.WITHIN
    assert verdict(bill, usd_per_contract=1199) is Verdict.OVER


def test_a_contract_of_no_months_has_no_ceiling() -> None:
    assert verdict(Bill((line("storage/warm", 5),)), months=0, usd_per_contract=1) is Verdict.WITHIN


def test_without_a_ceiling_only_a_bill_with_an_end_is_within() -> None:
    priced, open_, bounded_ = line("storage/warm", 5), line("network/egress", None), line("storage/cold", None, most=3)
    assert verdict(Bill((priced,))) is Verdict.WITHIN
    assert verdict(Bill((priced, bounded_))) is Verdict.WITHIN
    for unfinished in (Bill((priced, open_)), Bill((open_, bounded_))):
        told = judge(unfinished, limits(), contract_months=12, usd_per_gpu_hour=None)
        assert told.verdict is Verdict.UNDETERMINED
        assert told.reason == "no ceiling is set, and no price is known for network/egress"


def test_a_machine_without_a_price_may_hold_the_dearest_accelerator() -> None:
    bill = Bill((line("pool/train/machine", None, group=BillGroup.COMPUTE),))
    assert verdict(bill, usd_per_gpu_hour=5) is Verdict.UNDETERMINED
    assert verdict(bill, hour=4, usd_per_gpu_hour=5) is Verdict.UNDETERMINED
    assert verdict(bill, hour=6, usd_per_gpu_hour=5) is Verdict.OVER
    assert verdict(Bill((line("storage/warm", None),)), hour=4, usd_per_gpu_hour=5) is Verdict.WITHIN


def test_an_amount_that_is_known_has_one_end() -> None:
    assert exactly(Decimal(3)) == Interval(Decimal(3), Decimal(3))


@pytest.mark.parametrize(
    ("key", "component"),
    [
        ("pool/train/machine#2", "pool/train"),
        ("pool/train/disk~3", "pool/train"),
        ("far/pool/train/machine", "far/pool/train"),
        ("network/link/data", "network"),
        ("far/network/egress", "far/network"),
        ("control_plane", "control_plane"),
        ("far/control_plane", "far/control_plane"),
        ("storage/warm", "storage/warm"),
        ("storage/cold/reads#2", "storage/cold"),
        ("platform/loki/volumes", "platform/loki"),
        ("bigdisk/disk", "bigdisk"),
        ("bigdisk", "bigdisk"),
    ],
)
def test_a_key_says_its_component(key: str, component: str) -> None:
    assert component_of(key) == component


def test_a_part_holds_its_components() -> None:
    assert in_part("pool/train", "pool")
    assert not in_part("pool/trainer", "pool/train")
    assert placement_of("far/pool/train/machine") == "far"
    assert placement_of("pool/train/machine") == ""
    assert not has_placement("bigdisk/disk")
