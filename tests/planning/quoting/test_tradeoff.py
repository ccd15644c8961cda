"""The share of cost that a sentence says agrees with the totals beside it, or says that it counts unpriced lines."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import hand_built
import pytest
from small import TODAY, TRAINING, SmallCatalog, accelerator, checklist, machine, market, price, services

from planning.costs.bill import BillGroup
from planning.quoting.quote import Option
from planning.quoting.quote_builder import quote
from planning.quoting.tradeoffs import compare_options, describe_recommended
from planning.spec.lock_content import State
from planning.values.money import Range
from planning.values.verdict import Verdict

ASSUMED = "(partly assumed)"
MACHINES = (machine("big"), machine("cpu", gpu=None))
ROWS = (price("aws", "big", "us-east-1", "60"), price("aws", "cpu", "us-east-1", "0.4"), *services("aws"))
SHARES = tuple(Decimal(each) / 100 for each in (-60, -20, -5, -2, 0, 2, 5, 20, 60))


def whole(share: Decimal) -> Decimal:
    return (share * 100).quantize(Decimal(1), ROUND_HALF_UP)


@pytest.fixture(scope="module")
def option() -> Option:
    small = market(SmallCatalog(MACHINES, ROWS, accelerators_list=(accelerator(),)))
    return quote(checklist(TRAINING), checklist_digest="", stack="acme", market=small, today=TODAY).options[0]


def dearer(option: Option, *, billed: Decimal, ranked: Decimal) -> Option:
    """The option with another total, and one more line that its rank alone counts."""
    usd = option.bill.usd_per_month.expected
    first = option.bill.lines[0]
    more = replace(first, key="more", usd_per_month=Range.exactly(usd * billed))
    missing = replace(first, key="missing", state=State.UNPRICED, usd_per_unit=None, usd_per_month=None)
    lines = (*option.bill.lines, more, *((missing,) if ranked != billed else ()))
    return replace(option, bill=replace(option.bill, lines=lines), rank_usd_per_month=Range.exactly(usd * (1 + ranked)))


@pytest.mark.parametrize("billed", SHARES)
@pytest.mark.parametrize("ranked", SHARES)
def test_a_share_of_cost_is_that_of_the_totals_or_says_so(option: Option, billed: Decimal, ranked: Decimal) -> None:
    other = replace(option, rank_usd_per_month=Range.exactly(option.bill.usd_per_month.expected))
    said = compare_options(dearer(other, billed=billed, ranked=ranked), other)
    assert (ASSUMED in said) == (billed != ranked)
    if not ranked:
        assert said.startswith("About the same cost")
        return
    word = "more" if ranked > 0 else "lower"
    assert f"{abs(whole(ranked))}% {word} cost" in said


def test_the_whole_bill_is_read_for_the_totals(option: Option) -> None:
    other = replace(option, rank_usd_per_month=Range.exactly(option.bill.usd_per_month.expected))
    cheap = dearer(other, billed=Decimal("-0.1"), ranked=Decimal("0.2"))
    assert cheap.bill.usd_per_month.expected < other.bill.usd_per_month.expected
    assert compare_options(cheap, other) == f"Against it: 20% more cost {ASSUMED}, 1 more line without a price."


@pytest.mark.parametrize(("ranked", "said"), [(Decimal("1.99"), "199% more cost"), (Decimal(17), "18 times the cost")])
def test_a_cost_of_several_times_is_said_as_such(option: Option, ranked: Decimal, said: str) -> None:
    other = replace(option, rank_usd_per_month=Range.exactly(option.bill.usd_per_month.expected))
    assert said in compare_options(dearer(other, billed=ranked, ranked=ranked), other)


def test_a_time_of_several_times_is_said_as_such(option: Option) -> None:
    slow = replace(option, runs=tuple(replace(run, hours=run.hours * Decimal("6.2")) for run in option.runs))
    assert compare_options(slow, option) == "About the same cost; against it: runs 6 times as long."


def test_costs_within_a_percent_are_named_beside_what_differs(option: Option) -> None:
    slow = replace(option, runs=tuple(replace(run, hours=run.hours * Decimal("1.26")) for run in option.runs))
    assert compare_options(slow, option) == "About the same cost; against it: 26% longer runs."


def test_the_fastest_of_services_says_what_it_is_faster_at(option: Option) -> None:
    served = replace(option, runs=(), views=())
    assert "the fastest answers" in compare_options(replace(served, views=("fastest",)), served)


def doubted(option: Option, *flags: str) -> Option:
    return replace(option, worth=tuple(replace(each, flags=flags) for each in option.worth))


@pytest.mark.parametrize("flags", [(), ("undated",), ("sources differ by 58%",), ("sources differ by 3%",)])
@pytest.mark.parametrize("unpriced", [0, 1, 4])
@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("alone", [True, False])
def test_a_recommendation_claims_only_what_holds(
    option: Option, flags: tuple[str, ...], unpriced: int, verdict: Verdict, alone: bool
) -> None:
    first = replace(option.bill.lines[0], state=State.UNPRICED, usd_per_unit=None, usd_per_month=None)
    lines = (*option.bill.lines, *(replace(first, key=f"missing-{at}") for at in range(unpriced)))
    shown = replace(
        option, bill=replace(option.bill, lines=lines), judgement=replace(option.judgement, verdict=verdict)
    )
    said = describe_recommended(doubted(shown, *flags), alone=alone)
    missing = len(shown.bill.unpriced)
    assert ("a price for every line" in said) == (not missing)
    assert (f"{missing} lines have no price" in said or "1 line has no price" in said) == bool(missing)
    assert ("the month within the budget" in said) == (verdict is Verdict.WITHIN)
    assert ("over the budget" in said) == (verdict is Verdict.OVER)
    doubtful = flags in {("undated",), ("sources differ by 58%",)}
    assert ("prices that sources agree on" in said) == (not doubtful)
    assert (f"a price in doubt ({''.join(flags)})" in said) == doubtful
    assert ("The lowest expected cost" in said) == (not alone)


@pytest.mark.parametrize("ceiling", [{}, {"usd_per_gpu_hour": 1000}, {"usd_per_month": 10**9}])
def test_a_quote_names_a_budget_only_where_one_is_set(ceiling: dict[str, int]) -> None:
    small = market(SmallCatalog(MACHINES, ROWS, accelerators_list=(accelerator(),)))
    wanted = checklist(TRAINING, **({"ceiling": ceiling} if ceiling else {}))
    found = quote(wanted, checklist_digest="", stack="acme", market=small, today=TODAY)
    assert ("budget" in found.recommended.tradeoff) == ("usd_per_month" in ceiling)


def test_an_estimate_is_told_in_the_recommendation_and_in_the_comparison(option: Option) -> None:
    line = hand_built.estimated("network/egress", BillGroup.NETWORK)
    with_estimate = replace(option, bill=replace(option.bill, lines=(*option.bill.lines, line)))
    said = describe_recommended(with_estimate)
    assert "a price or an estimate for every line" in said
    assert "; 1 item estimated" in said
    same_rank = replace(with_estimate, rank_usd_per_month=option.rank_usd_per_month)
    assert "gainst it: 1 more estimated" in compare_options(same_rank, option)
    assert "or it: 1 fewer estimated" in compare_options(option, same_rank)
