"""What is paid by use comes from the ranges of the checklist, where it gives them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from small import TRAINING, checklist

from catalogs.model import Item
from planning.quoting.assembly import usage
from planning.spec.cluster import Tier
from planning.values.money import Range

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
    assert usage.with_usage(COLD, asked) == COLD


@pytest.mark.parametrize(("months", "expected", "most"), [(0, 1100, 11000), (24, 2300, 23000)])
def test_a_tier_that_grows_is_paid_as_it_lies_there(months: int, expected: int, most: int) -> None:
    parts: dict[str, Any] = {"contract": {"months": months}, "storage": {"cold": {"size": "1TB"}}}
    grown = usage.with_usage(COLD, checklist(TRAINING, usage={"growth": SPREAD}, **parts)).grown_gb
    assert grown is not None
    assert (grown.min, grown.expected, grown.max) == (0, expected, most)


def test_requests_are_counted_in_thousands_and_only_for_objects() -> None:
    asked = checklist(TRAINING, usage={"writes": {"low": "1M", "expected": "2M", "high": "4M"}})
    writes = usage.with_usage(COLD, asked).writes_thousands
    assert writes is not None
    assert writes.as_range() == Range(Decimal(1000), Decimal(2000), Decimal(4000))
    disk = COLD.model_copy(update={"item": Item.SHARED_DISK})
    assert usage.with_usage(disk, asked).writes_thousands is None


SERVICE: dict[str, Any] = {"kind": "inference", "name": "serve", "model": {"parameters": "7B"}}
TRAFFIC = {"egress_per_month": "1TB", "ingress_per_month": "2TB", "logs_per_month": "100GB"}


@pytest.mark.parametrize(
    ("workloads", "through", "balanced"),
    [
        ([TRAINING], (3000, 3000, 3000), (0, 0, 0)),
        ([SERVICE], (2000, 2000, 2000), (1000, 1000, 1000)),
        ([TRAINING, SERVICE], (2000, 2000, 3000), (1000, 1000, 1000)),
    ],
)
def test_answers_leave_through_the_balancer_and_not_through_nat(
    workloads: list[dict[str, Any]], through: tuple[int, int, int], balanced: tuple[int, int, int]
) -> None:
    asked = checklist(workloads[0], traffic=TRAFFIC, workloads=workloads)
    assert usage.through_nat(asked) == Range(*map(Decimal, through))
    assert usage.estimate_answer_traffic(asked) == Range(*map(Decimal, balanced))


@pytest.mark.parametrize(
    ("provider", "zones", "gateways", "expected", "most"),
    [
        ("aws", 2, 1, (100 + 3000) * 2 / 2, (100 + 3000) * 2),
        ("aws", 3, 3, 100 * 2 * 2 / 3, 100 * 2),
        ("gcp", 2, 1, 100 / 2, 100),
    ],
)
def test_what_crosses_zones_is_paid_as_often_as_the_provider_asks(
    provider: str, zones: int, gateways: int, expected: float, most: float
) -> None:
    asked = checklist(TRAINING, traffic=TRAFFIC)
    found = usage.between_zones(asked, provider=provider, zones=zones, nat_gateways=gateways)
    assert found is not None
    assert found.min == 0
    assert round(found.expected, 6) == round(Decimal(expected), 6)
    assert found.max == Decimal(most)


@pytest.mark.parametrize("place", [("nebius", 2), ("coreweave", 2), ("aws", 1)])
def test_where_crossing_is_free_or_nothing_crosses_there_is_no_line(place: tuple[str, int]) -> None:
    asked = checklist(TRAINING, traffic=TRAFFIC)
    assert usage.between_zones(asked, provider=place[0], zones=place[1], nat_gateways=1) is None


@pytest.mark.parametrize(
    ("storage", "reads"),
    [({"cold": {"size": "1TB"}, "warm": {"size": "1TB"}}, 1000), ({"cold": {"size": "1TB"}}, 1000 * 2 * 730 / 24)],
)
def test_a_data_set_in_a_bucket_is_read_once_a_month_or_at_every_pass(storage: dict[str, Any], reads: float) -> None:
    data = {"size": "1TB", "file_count": 1_000_000, "passes_per_day": 2}
    asked = checklist(TRAINING, dataset=data, storage=storage)
    found = usage.with_usage(COLD, asked, provider="aws")
    assert found.reads_thousands is not None
    assert found.writes_thousands is not None
    assert round(found.reads_thousands.expected, 6) == round(Decimal(reads), 6)
    assert round(found.reads_thousands.max - 1000 * 2 * Decimal(730) / 24, 6) == 0
    assert found.writes_thousands.as_range().max == 1000
    stated = checklist(TRAINING, dataset=data, storage=storage, usage={"reads": {"low": 1, "expected": 2, "high": 3}})
    assert usage.with_usage(COLD, stated, provider="aws").reads_thousands != found.reads_thousands
    assert usage.with_usage(COLD, asked, provider="coreweave").reads_thousands is None
