"""The share of cost that a sentence says agrees with the totals beside it, or says that it counts unpriced lines."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import pytest
from small import TODAY, TRAINING, SmallCatalog, accelerator, checklist, machine, market, price, services

from planning.bill import State
from planning.money import Range
from planning.options.tradeoff import compare_options
from planning.quote import Option
from planning.quoting import quote

ESTIMATED = "(part estimated)"
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
    if not ranked:
        assert "cost," not in said
        assert ESTIMATED not in said
        return
    word = "more" if ranked > 0 else "lower"
    assert f"{abs(whole(ranked))}% {word} cost" in said
    assert (ESTIMATED in said) == (billed != ranked)


def test_the_whole_bill_is_read_for_the_totals(option: Option) -> None:
    other = replace(option, rank_usd_per_month=Range.exactly(option.bill.usd_per_month.expected))
    cheap = dearer(other, billed=Decimal("-0.1"), ranked=Decimal("0.2"))
    assert cheap.bill.usd_per_month.expected < other.bill.usd_per_month.expected
    assert compare_options(cheap, other) == f"Lost: 20% more cost {ESTIMATED}, 1 line more without a price."
