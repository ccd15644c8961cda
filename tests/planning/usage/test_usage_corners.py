"""Bills with corners: what is kept, corrected, said twice, or of another service; and every real checklist."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
import yaml
from bill_kit import GIB, OURS, ROOT, focus, measured, table

from operations.usage.bill_files import rows
from planning.checklist.reading.checklist_file import read
from planning.usage.checklist_section import SECTION, block, fitting, with_block
from planning.usage.meters import MonthlyUsage, ranges
from planning.values.errors import InputError
from planning.values.money import Range


def test_what_the_bill_does_not_measure_stays_in_the_checklist() -> None:
    old = """workloads: []
usage:  # by hand
    # over the peering, from the network team
    peering: {low: 1GB, expected: 2GB, high: 3GB}
    egress:
        low: 1GB
        expected: 2GB
        high: 3GB
    logs:
        low: 4GB  # quiet
        expected: 5GB

        high: 6GB

# What we agreed on.
ceiling:
  usd_per_month: 5
"""
    section = 'usage:\n  measured: "a"\n  egress: {low: 9GB, expected: 9GB, high: 9GB}\n'
    once = with_block(old, section)
    assert with_block(once, section) == once
    usage = yaml.safe_load(once)["usage"]
    assert usage["egress"]["high"] == "9GB"
    assert usage["peering"] == {"low": "1GB", "expected": "2GB", "high": "3GB"}
    assert usage["logs"] == {"low": "4GB", "expected": "5GB", "high": "6GB"}
    assert once.endswith("\n\n# What we agreed on.\nceiling:\n  usd_per_month: 5\n")
    with pytest.raises(InputError, match="one line"):
        with_block("usage: {egress: 1GB}\n", section)


@pytest.mark.parametrize("path", sorted((ROOT / "stacks").glob("*/checklist.yaml")), ids=lambda path: path.parent.name)
def test_every_checklist_keeps_all_else_and_takes_the_section_once(path: Path) -> None:
    text = re.sub(r"^  egress_per_month_max:.*\n", "", path.read_text(), flags=re.MULTILINE)
    asked = read(text, file=str(path))
    amounts = Range(Decimal(1), Decimal(2), Decimal(3))
    found = fitting(dict.fromkeys(("egress", "growth", "logs", "reads", "writes"), amounts), asked)
    section = block(found, source='a "bill".csv', months=((2026, 9), (2026, 10)))
    once = with_block(text, section)
    assert with_block(once, section) == once
    changed = read(once, file=str(path))
    assert changed.usage.measured == 'a "bill".csv, 2026-09 to 2026-10'
    assert changed.model_copy(update={"usage": asked.usage}) == asked
    assert SECTION.sub("", once).strip() == SECTION.sub("", text).strip()


def test_what_belongs_to_a_cold_tier_is_left_out_where_there_is_none() -> None:
    amounts: dict[str, Range] = dict.fromkeys(("egress", "growth"), Range.exactly(1))
    assert set(fitting(amounts, read((ROOT / "stacks/demo/checklist.yaml").read_text(), file="a"))) >= {"egress"}
    bare = read((ROOT / "stacks/demo/checklist.yaml").read_text(), file="a")
    without = bare.model_copy(update={"storage": bare.storage.model_copy(update={"cold": None})})
    assert set(fitting(amounts, without)) == {"egress"}


def test_what_lies_still_does_not_grow_where_a_month_is_longer(tmp_path: Path) -> None:
    days = [
        {**row, "ChargeDescription": "Standard Storage Iowa"}
        for month in ("2026-01", "2026-02", "2026-03")
        for row in focus(month, usage="", quantity=10**12 * 86_400, unit="byte-seconds")
    ]
    growth = ranges(measured(table(tmp_path / "gcp.csv", days)))["growth"]
    assert growth.max < Decimal("0.001")


def test_requests_to_other_services_are_not_requests_to_objects(tmp_path: Path) -> None:
    days = [
        *focus("2026-10", usage="USE2-Requests-Tier1", quantity=10, unit="Requests", ServiceName="AmazonS3"),
        *focus("2026-10", usage="USE2-Requests-Tier1", quantity=900, unit="Requests", ServiceName="AWSQueueService"),
    ]
    assert ranges(measured(table(tmp_path / "focus.csv", days)))["writes"].max == 310


def test_a_correction_takes_back_what_it_corrects_and_no_month_falls_below_nothing(tmp_path: Path) -> None:
    days = [
        *focus("2026-09", usage="DataTransfer-Out-Bytes", quantity=1),
        *focus("2026-09", usage="DataTransfer-Out-Bytes", quantity=-5),
        *focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=100),
        *focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=-90),
    ]
    egress = ranges(measured(table(tmp_path / "focus.csv", days)))["egress"]
    assert (egress.min, egress.max) == (0, 310 * GIB)


def test_a_row_of_two_files_counts_once_and_equal_rows_of_one_file_each(tmp_path: Path) -> None:
    days = focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=1)
    found = MonthlyUsage()
    for name, part in (("one.csv", [*days, days[0]]), ("two.csv", days[20:])):
        found.take(rows(table(tmp_path / name, part), tag=OURS))
    assert found.seen.twice == 11
    assert ranges(found)["egress"].max == 32 * GIB


def test_the_month_is_that_of_utc(tmp_path: Path) -> None:
    days = focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=1)
    late = {**days[-1], "ChargePeriodStart": "2026-10-31T20:00:00-07:00", "ConsumedQuantity": "500"}
    found = measured(table(tmp_path / "focus.csv", [*days, late]))
    assert found.amounts["egress"] == {(2026, 10): 31 * GIB, (2026, 11): 500 * GIB}
    assert found.whole == ((2026, 10),)


def test_an_object_may_leave_out_what_is_null(tmp_path: Path) -> None:
    first, *others = focus("2026-10", usage="DataTransfer-Out-Bytes", quantity=2)
    lines = [
        {**{name: said for name, said in first.items() if name != "ConsumedUnit"}, "ChargeCategory": None},
        *({**each, "ConsumedQuantity": 1e-7 if number else 2.5e2} for number, each in enumerate(others)),
    ]
    path = tmp_path / "focus.ndjson"
    path.write_text("\n".join(map(json.dumps, lines)))
    found = measured(path)
    assert dict(found.odd) == {"egress in ''": 1}
    assert ranges(found)["egress"].max == (250 + 29 * Decimal("1e-7")) * GIB
