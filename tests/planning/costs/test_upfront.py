"""What is due on the first day, by the words of the purchase."""

from __future__ import annotations

from decimal import Decimal

import pytest
import specs

from catalogs.model import PurchaseKind, Term
from planning.costs.upfront import list_upfront
from planning.values.money import NOTHING, Range

POOL = next(each for each in specs.POOLS if each.workload == "train")
PRICES = {f"pool/{POOL.name}/machine": Decimal(10)}


def due(upfront: str, *, months: int = 12, kind: PurchaseKind = PurchaseKind.RESERVED) -> Range:
    term = Term(purchase="word", provider="*", kind=kind, months=months, upfront=upfront, note="", source="made up",
                holds="yes", holds_source="made up")  # fmt: skip
    found = list_upfront([specs.aws_cluster(pools=(POOL,))], PRICES, term_of=lambda _provider, _word: term)
    return sum((each.usd for each in found), start=NOTHING)


WHOLE = Decimal(10) * 730 * 12 * POOL.max_nodes


@pytest.mark.parametrize(
    ("upfront", "least", "most"),
    [
        ("none", "0", "0"),
        ("partial", "0.5", "0.99"),
        ("all", "1", "1"),
        ("unknown", "0", "1"),
    ],
)
def test_the_first_day_pays_the_share_of_the_term_that_its_word_says(upfront: str, least: str, most: str) -> None:
    found = due(upfront)
    assert (found.min, found.max) == (WHOLE * Decimal(least), WHOLE * Decimal(most))


def test_a_booking_without_a_term_pays_its_month() -> None:
    found = due("all", months=0, kind=PurchaseKind.CAPACITY_BLOCK)
    assert found == Range.exactly(POOL.node_hours.expected * 10)


@pytest.mark.parametrize("upfront", ["none", "unknown", "partial"])
def test_what_binds_for_no_time_pays_nothing_before(upfront: str) -> None:
    assert due(upfront, months=0, kind=PurchaseKind.ON_DEMAND) == NOTHING


def test_a_pool_without_a_price_or_a_known_word_is_left_out() -> None:
    spec = specs.aws_cluster(pools=(POOL,))
    assert not list(list_upfront([spec], PRICES, term_of=lambda _provider, _word: None))
