"""`atoll usage import`: a bill in, a section of the checklist out."""

from __future__ import annotations

import json
from pathlib import Path

from command_project import Atoll

HEAD = "ChargePeriodStart,ConsumedQuantity,ConsumedUnit,ChargeCategory,x_UsageType,Tags\n"


def bill(path: Path, *, days: int = 31) -> str:
    rows = [
        f'2026-10-{day:02},2,GB,Usage,DataTransfer-Out-Bytes,"{{""user:atoll:stack"": ""demo""}}"\n'
        for day in range(1, days + 1)
    ]
    path.write_text(HEAD + "".join(rows))
    return str(path)


def test_a_bill_is_shown_and_written_into_the_checklist(project: Path, atoll: Atoll, tmp_path: Path) -> None:
    checklist = project / "stacks/demo/checklist.yaml"
    outcome = atoll("usage", "import", "demo", bill(tmp_path / "bill.csv"), "--write")
    assert outcome.code == 0
    assert "one month says nothing of how months differ" in outcome.out
    assert "  egress: {low: 66.6GB, expected: 66.6GB, high: 66.6GB}" in checklist.read_text()
    assert atoll("check", "demo").code == 0


def test_json_has_the_ranges_as_text(project: Path, atoll: Atoll, tmp_path: Path) -> None:
    assert project
    outcome = atoll("usage", "import", "demo", bill(tmp_path / "bill.csv"), "--json")
    form = json.loads(outcome.out)
    assert form["months"] == ["2026-10"]
    assert form["usage"]["egress"]["expected"].startswith("66.57")


def test_what_measures_nothing_is_refused_and_nothing_is_written(project: Path, atoll: Atoll, tmp_path: Path) -> None:
    before = (project / "stacks/demo/checklist.yaml").read_text()
    half = atoll("usage", "import", "demo", bill(tmp_path / "bill.csv", days=10), "--write")
    assert (half.code, "2026-10 are not complete" in half.err) == (1, True)
    other = atoll("usage", "import", "demo", bill(tmp_path / "bill.csv"), "--tag", "atoll:stack=other")
    assert (other.code, "no row is of this stack" in other.err) == (1, True)
    assert atoll("usage", "import", "demo", bill(tmp_path / "bill.csv"), "--tag", "nonsense").code == 2
    assert (project / "stacks/demo/checklist.yaml").read_text() == before


def test_a_section_that_contradicts_the_checklist_is_not_written(project: Path, atoll: Atoll, tmp_path: Path) -> None:
    checklist = project / "stacks/demo/checklist.yaml"
    before = f"{checklist.read_text()}traffic:\n  egress_per_month: 1TB\n  egress_per_month_max: 2TB\n"
    checklist.write_text(before)
    outcome = atoll("usage", "import", "demo", bill(tmp_path / "bill.csv"), "--write")
    assert outcome.code == 1
    assert "keep usage.egress" in outcome.err
    assert checklist.read_text() == before
