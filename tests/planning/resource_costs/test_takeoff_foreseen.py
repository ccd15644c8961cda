"""Node hours of the busiest month: what a pool foresees, and every node beyond it all month."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from takeoff_fakes import notes, resource, take

from planning.costs.resources.findings import busiest_hours, estimate_node_hours
from planning.costs.resources.resource import Properties, Resource, UnknownValue
from planning.spec.lock_content import State

HOURS = {"min": "0", "expected": "300", "max": "600"}
GROUP = "aws:eks/nodeGroup:NodeGroup"


def pool(**inputs: Any) -> Properties:
    return Properties({"maxNodes": 4, "nodeHours": HOURS, **inputs}, "train")


@pytest.mark.parametrize(
    ("nodes", "hours"),
    [(4, 600), (5, 600 + 730), (8, 600 + 4 * 730), (1, 600), (0, 0)],
)
def test_nodes_that_nobody_foresees_count_all_month(nodes: int, hours: int) -> None:
    assert busiest_hours(pool(), nodes=Decimal(nodes)) == hours


def test_a_pool_that_does_not_say_for_how_many_nodes_counts_them_all() -> None:
    assert busiest_hours(pool(maxNodes=None), nodes=Decimal(4)) == 4 * 730


@settings(derandomize=True)
@given(
    st.lists(st.integers(0, 6000), min_size=3, max_size=3),
    st.integers(0, 8),
    st.integers(0, 8),
    st.integers(0, 8),
)
def test_hours_rise_and_stay_within_the_nodes(readings: list[int], foreseen: int, low: int, more: int) -> None:
    hours = dict(zip(("min", "expected", "max"), map(str, sorted(readings)), strict=True))
    most = Decimal(low + more)
    found = estimate_node_hours(pool(maxNodes=foreseen, nodeHours=hours), fewest=Decimal(low), most=most)
    assert low * 730 <= found.expected <= found.max <= most * 730


def registered(most: int, **inputs: Any) -> tuple[Resource, Resource]:
    said = {"provider": "aws", "region": "us-east-1", "pool": "train", "maxNodes": 4, "nodeHours": HOURS, **inputs}
    above = resource("atoll:nodepool:NodePool", "train", **said)
    sizes = {"minSize": 0, "desiredSize": 0, "maxSize": most}
    return above, replace(resource(GROUP, instanceTypes=["p5.48xlarge"], scalingConfig=sizes), parent=above.urn)


def test_a_raised_limit_shows_in_the_bill() -> None:
    before, after = (take(*registered(most)).bill.lines[0].quantity for most in (4, 6))
    assert (before.expected, before.max) == (300, 600)
    assert (after.expected, after.max) == (300, 600 + 2 * 730)


@pytest.mark.parametrize(
    "inputs", [{"maxNodes": UnknownValue()}, {"nodeHours": {"expected": "300", "max": UnknownValue()}}]
)
def test_an_unknown_forecast_leaves_a_gap_that_the_nodes_bound(inputs: dict[str, Any]) -> None:
    _, found = take(*registered(4, **inputs)).resources
    assert found.state is State.UNPRICED
    assert "is known only after creation" in notes(found)
