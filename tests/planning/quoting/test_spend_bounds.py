"""What an option can come to at most: the three readings, the guarded cap, and all nodes all month, in this order."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from catalogs.catalog import load
from planning.ceilings.spend_bounds import spend_bounds
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings, whole_bill
from planning.quoting.quote import Option
from planning.quoting.quote_builder import quote
from planning.spec.cluster import Amounts, ClusterSpec
from planning.spec.lock import Ceilings
from planning.values.money import HOURS_PER_MONTH, Range

ROOT = Path(__file__).parents[3]
TODAY = date(2026, 11, 21)
EXAMPLES = ("demo", "gcp-train", "coreweave-pretrain", "spanning-two")


@cache
def market() -> Market:
    return Market(load())


@cache
def options(example: str) -> tuple[tuple[Option, Ceilings], ...]:
    asked = read_file(ROOT / "stacks" / example / "checklist.yaml")
    found = quote(asked, checklist_digest="", stack=example, market=market(), today=TODAY)
    return tuple((option, ceilings(asked)) for option in found.options)


def full(spec: ClusterSpec) -> ClusterSpec:
    """The same cluster with every node up all month."""
    pools = tuple(
        pool.model_copy(update={"node_hours": Amounts.of(Range.exactly(pool.max_nodes * HOURS_PER_MONTH))})
        for pool in spec.pools
    )
    return spec.model_copy(update={"pools": pools})


@pytest.mark.parametrize("example", EXAMPLES)
def test_all_nodes_all_month_is_the_bill_of_a_full_cluster(example: str) -> None:
    for option, ceiling in options(example):
        found = spend_bounds(option.placements, option.bill, ceiling).all_nodes_usd_per_month
        if found is not None:
            real = whole_bill([full(each) for each in option.placements], market()).usd_per_month.max
            assert real <= found + Decimal("0.01")  # later tiers of support cost less than the first one
            assert found <= real * Decimal("1.1")


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_bill_rises_from_a_quiet_month_to_all_nodes(example: str) -> None:
    for option, ceiling in options(example):
        usd = option.bill.usd_per_month
        most = spend_bounds(option.placements, option.bill, ceiling).all_nodes_usd_per_month
        assert usd.min <= usd.expected <= usd.max
        assert most is None or usd.max <= most


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_guard_lets_no_more_through_than_the_ceiling_or_what_always_runs(example: str) -> None:
    for option, ceiling in options(example):
        assert ceiling.usd_per_month is not None
        found = spend_bounds(option.placements, option.bill, ceiling).guarded_usd_per_month
        assert found is not None
        assert found >= ceiling.usd_per_month
        none = ceiling.model_copy(update={"usd_per_month": None})
        assert spend_bounds(option.placements, option.bill, none).guarded_usd_per_month is None


@pytest.mark.parametrize("example", [*EXAMPLES, "pretrain-7b"])
def test_a_verdict_names_what_may_pass_the_ceiling_for_all_that_the_guard_does(example: str) -> None:
    for option, ceiling in options(example):
        found = spend_bounds(option.placements, option.bill, ceiling)
        assert ceiling.usd_per_month is not None
        assert found.guarded_usd_per_month is not None
        above = found.guarded_usd_per_month > ceiling.usd_per_month
        assert above == bool(found.unheld) == ("cannot stop the nodes of" in option.judgement.reason)
        assert above == (example == "pretrain-7b")
        assert not above or f"{found.guarded_usd_per_month:,.2f} USD" in option.judgement.reason
