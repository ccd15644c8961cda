"""What is paid by use comes from the ranges of the checklist, where it gives them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from small import TRAINING, checklist

from catalogs.model import Item
from planning.money import Range
from planning.options import usage
from planning.spec import Tier

SPREAD = {"low": "100GB", "expected": "200GB", "high": "1TB"}
AS_RANGE = Range(Decimal(100), Decimal(200), Decimal(1000))
COLD = Tier(tier="cold", engine="S3", item=Item.OBJECT, asked_gb=Decimal(1000), provisioned_gb=1000, purpose="data")


@pytest.mark.parametrize("name", ["egress", "ingress", "peering", "logs"])
def test_a_range_replaces_the_single_figure(name: str) -> None:
    asked = checklist(TRAINING, usage={name: SPREAD})
    assert getattr(usage, name)(asked) == AS_RANGE


def test_without_ranges_the_single_figures_count() -> None:
    traffic = {"egress_per_month": "1TB", "egress_per_month_max": "3TB", "logs_per_month": "7GB"}
    asked = checklist(TRAINING, traffic=traffic)
    assert usage.egress(asked) == Range(Decimal(1000), Decimal(1000), Decimal(3000))
    assert usage.logs(asked) == Range.exactly(7)
    assert usage.peering(asked) == Range.exactly(0)
    assert usage.used(COLD, asked) == COLD


@pytest.mark.parametrize(("months", "expected", "most"), [(0, 1100, 11000), (24, 2300, 23000)])
def test_a_tier_that_grows_is_paid_as_it_lies_there(months: int, expected: int, most: int) -> None:
    parts: dict[str, Any] = {"contract": {"months": months}, "storage": {"cold": {"size": "1TB"}}}
    grown = usage.used(COLD, checklist(TRAINING, usage={"growth": SPREAD}, **parts)).grown_gb
    assert grown is not None
    assert (grown.min, grown.expected, grown.max) == (0, expected, most)


def test_requests_are_counted_in_thousands_and_only_for_objects() -> None:
    asked = checklist(TRAINING, usage={"writes": {"low": "1M", "expected": "2M", "high": "4M"}})
    writes = usage.used(COLD, asked).writes_thousands
    assert writes is not None
    assert writes.as_range() == Range(Decimal(1000), Decimal(2000), Decimal(4000))
    disk = COLD.model_copy(update={"item": Item.SHARED_DISK})
    assert usage.used(disk, asked).writes_thousands is None
