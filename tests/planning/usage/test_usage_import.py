"""Bills measured: what counts, what is left out, and the section that comes of it."""

from __future__ import annotations

import json
from calendar import monthrange
from decimal import Decimal
from pathlib import Path

import pytest
from bill_kit import GIB, ROOT, focus, measured, table
from hypothesis import given
from hypothesis import strategies as st

from operations.usage.bill_files import opencost_rows
from planning.checklist.reading.checklist_file import read
from planning.usage.checklist_section import block, with_block
from planning.usage.meters import MonthlyUsage, ranges
from planning.values.errors import InputError


def test_three_months_give_least_median_and_most(tmp_path: Path) -> None:
    days = [
        *focus("2026-08", usage="USE2-DataTransfer-Out-Bytes", quantity=10),
        *focus("2026-09", usage="DataTransfer-Out-Bytes", quantity=30),
        *focus("2026-10", usage="EUC1-DataTransfer-Out-Bytes", quantity=20),
        *focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=900, stack="other"),
        *focus("2026-10", usage="USE2-USW2-AWS-Out-Bytes", quantity=900),
    ]
    egress = ranges(measured(table(tmp_path / "focus.csv.gz", days)))["egress"]
    assert egress.min == 31 * 10 * GIB
    assert egress.expected == 31 * 20 * GIB
    assert egress.max == 30 * 30 * GIB


def test_growth_is_what_a_month_adds_to_the_one_before(tmp_path: Path) -> None:
    stored = {"2026-08": 1000, "2026-09": 1500, "2026-10": 1400}
    days = [
        row
        for month, total in stored.items()
        for row in focus(
            month, usage="TimedStorage-ByteHrs", quantity=total / monthrange(2026, int(month[5:]))[1], unit="GB-Mo"
        )
    ]
    found = ranges(measured(table(tmp_path / "focus.csv", days)))["growth"]
    assert found.min == 0
    assert float(found.max) == pytest.approx(500 * float(GIB))


def test_coreweave_measures_what_its_object_storage_grows_by(tmp_path: Path) -> None:
    days = [
        {
            "ChargePeriodStart": row["ChargePeriodStart"],
            "PricingQuantity": str(24 * held),
            "PricingUnit": "GiB-Hours",
            "ServiceName": "AI Object Storage",
            "SkuId": "a-sku",
        }
        for month, held in (("2026-08", 1000), ("2026-09", 3000))
        for row in focus(month, usage="", quantity=0)
    ]
    found = ranges(measured(table(tmp_path / "coreweave.csv", days), tag=None))["growth"]
    assert float(found.expected) == pytest.approx(2000 * float(GIB))


def test_google_cloud_and_requests_are_known_by_their_skus(tmp_path: Path) -> None:
    kinds = {
        "Network Internet Data Transfer Out from Americas to Americas": ("2", "gibibyte"),
        "Regional Standard Class A Operations": ("1000", "requests"),
        "Standard Storage Iowa": ("3600", "byte-seconds"),
        "Nvidia H100 GPU running in Americas": ("24", "hours"),
    }
    days = [
        {**row, "ChargeDescription": sku}
        for sku, (quantity, unit) in kinds.items()
        for row in focus("2026-10", usage="", quantity=float(quantity), unit=unit)
    ]
    found = ranges(measured(table(tmp_path / "gcp.csv", days)))
    assert set(found) == {"egress", "writes"}
    assert found["writes"].expected == 31_000
    assert found["egress"].expected == 62 * GIB


def test_cur_and_bigquery_are_read_under_their_own_names(tmp_path: Path) -> None:
    cur = [
        {
            "line_item_usage_start_date": row["ChargePeriodStart"],
            "line_item_usage_amount": "1",
            "pricing_unit": "GB",
            "line_item_line_item_type": "Usage",
            "line_item_usage_type": "DataTransfer-Out-Bytes",
            "resource_tags_user_atoll_stack": "demo",
        }
        for row in focus("2026-10", usage="", quantity=1)
    ]
    assert ranges(measured(table(tmp_path / "cur.csv", cur)))["egress"].expected == 31 * GIB
    lines = [
        json.dumps(
            {
                "usage_start_time": f"{row['ChargePeriodStart'][:10]} 00:00:00 UTC",
                "sku": {"description": "Network Internet Egress from Americas to EMEA"},
                "usage": {"amount": 10**9, "unit": "bytes"},
                "labels": [{"key": "atoll_stack", "value": "demo"}],
            }
        )
        for row in focus("2026-10", usage="", quantity=1)
    ]
    path = tmp_path / "bigquery.ndjson"
    path.write_text("\n".join(lines))
    assert ranges(measured(path))["egress"].expected == 31


def test_what_is_begun_odd_or_broken_is_left_out_and_said(tmp_path: Path) -> None:
    days = [
        *focus("2026-09", usage="DataTransfer-Out-Bytes", quantity=1)[:20],
        *focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=1),
        *focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=1, unit="furlongs")[:3],
        *focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=float("nan"))[:2],
        *focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=50, ChargeCategory="Credit"),
    ]
    found = measured(table(tmp_path / "focus.csv", days))
    assert (found.whole, found.partial) == (((2026, 10),), ((2026, 9),))
    assert dict(found.odd) == {"egress in 'furlongs'": 3}
    assert found.broken == 2
    assert ranges(found)["egress"].max == 31 * GIB


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "", "empty"),
        ("a.csv", "a,b\n1,2\n", "without ChargePeriodStart, ConsumedQuantity"),
        ("a.csv", "ChargePeriodStart,ConsumedQuantity,x_UsageType\n2026-10-01,1,x\n", "it has no tags"),
        ("a.csv", "ChargePeriodStart,ConsumedQuantity,x_UsageType,Tags\n", "no rows"),
        ("a.json", "[1]\n", "line 1 is no JSON object"),
        ("a.csv.gz", "\x1f\x8bno gzip", "cannot be read on"),
    ],
)
def test_what_is_no_bill_is_refused_in_words(tmp_path: Path, name: str, content: str, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=said):
        measured(path)


def test_opencost_tells_egress_by_its_price(tmp_path: Path) -> None:
    steps = [
        {"demo": {"start": f"2026-10-{day:02}T00:00:00Z", "networkInternetCost": 0.9, "networkTransferBytes": 1e15}}
        for day in range(1, 32)
    ]
    path = tmp_path / "allocation.json"
    path.write_text(json.dumps({"code": 200, "data": steps}))
    found = MonthlyUsage()
    found.take(opencost_rows(path, usd_per_gb=Decimal("0.09")))
    assert ranges(found)["egress"].expected == 310
    path.write_text("{}")
    with pytest.raises(InputError, match="not an answer of OpenCost"):
        list(opencost_rows(path, usd_per_gb=Decimal(1)))


def test_the_section_is_put_into_the_checklist_and_nothing_else_moves(tmp_path: Path) -> None:
    days = focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=3)
    found = measured(table(tmp_path / "focus.csv", days))
    section = block(ranges(found), source="focus.csv", months=found.whole)
    text = (ROOT / "stacks/demo/checklist.yaml").read_text().replace("  egress_per_month_max: 1TB\n", "")
    once = with_block(text, section)
    assert once.startswith(text)
    assert with_block(once, section) == once
    asked = read(once, file="checklist.yaml").usage
    assert asked.egress is not None
    assert asked.egress.expected == Decimal("99.9")
    assert asked.measured == "focus.csv, 2026-10 to 2026-10"
    between = once.replace("\nusage:", "\nusage:", 1) + "\nslo_percent: 99.5\n"
    assert with_block(between, section).endswith("\nslo_percent: 99.5\n")


@given(st.lists(st.decimals(min_value=0, max_value=10**6, places=3), min_size=1, max_size=6))
def test_ranges_rise_and_hold_every_month(amounts: list[Decimal]) -> None:
    found = MonthlyUsage()
    for month, amount in enumerate(amounts, start=1):
        found.days[2026, month] = set(range(1, 29))
        found.amounts["egress"][2026, month] = amount
    egress = ranges(found)["egress"]
    assert egress.min <= egress.expected <= egress.max
    assert all(egress.min <= amount <= egress.max for amount in amounts)


def test_a_row_of_a_meter_without_a_quantity_is_left_out_and_counted(tmp_path: Path) -> None:
    """An empty quantity is none, and never 0; rows of what is not ours may have none."""
    whole = focus("2026-08", usage="DataTransfer-Out-Bytes", quantity=1)
    other = focus("2026-08", usage="BoxUsage:p5.48xlarge", quantity=1)
    for rows in (whole, other):
        rows[3]["ConsumedQuantity"] = ""
    found = measured(table(tmp_path / "bill.csv", [*whole, *other]))
    assert found.broken == 1
    assert found.amounts["egress"][2026, 8] == 30 * GIB


@pytest.mark.parametrize(
    "answer", [{"data": ["x"]}, {"data": [[1]]}, {"data": [{"ours": 3}]}, {"data": [{"ours": None}]}]
)
def test_a_step_of_opencost_that_is_none_is_refused(tmp_path: Path, answer: object) -> None:
    path = tmp_path / "opencost.json"
    path.write_text(json.dumps(answer))
    with pytest.raises(InputError, match=r"opencost\.json: "):
        list(opencost_rows(path, usd_per_gb=Decimal(1)))
