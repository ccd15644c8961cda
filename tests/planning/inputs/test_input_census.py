"""No field of a file that a user hands in is dropped in silence: it has an effect, is refused, or is listed as unused.

The checklist has a census of its own (`test_checklist_census.py`), so have the project's rules (`test_law_file.py`),
keys of a stack's configuration (`test_stack_keys.py`) and cells of an own price book (`test_own_book_cells.py`).
"""

from __future__ import annotations

import ast
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
import sla_samples
from bill_kit import focus
from input_leaves import (
    STRANGE,
    Census,
    as_json,
    as_json_lines,
    as_table,
    as_yaml,
    key_of,
    leaves,
    sections,
    with_value,
)

from operations.acceptance.result_store import read_records
from operations.nodes.incident_log import IncidentLog, log_path, read_incidents
from operations.service_levels.monthly_report import exclusions_in, read_samples
from operations.usage.bill_files import opencost_rows, rows
from planning.incidents.incident import Event
from planning.usage.meters import MonthlyUsage, ranges
from planning.values.errors import InputError
from policies.settings import Settings
from policies.table import RULES

ROOT: Final = Path(__file__).parents[3]
OF_THE_CLOUD: Final = "a bill of a cloud has a hundred columns: those that measure nothing of ours are left out"
OF_PROMETHEUS: Final = "Prometheus' own: our series are told apart by their name and one label"
NO_FIELD: Final = "the form of this test, which its text does not have"
FEW: Final = 4  # places of one field in one file
CHANGED: Final = {"ChargePeriodStart": "2026-08-03T00:00:00Z", "ConsumedQuantity": "7", "ConsumedUnit": "TB"}


def used(path: Path, *, tag: tuple[str, str] | None = ("atoll:stack", "demo")) -> object:
    found = MonthlyUsage()
    found.take(rows(path, tag=tag))
    return ranges(found), found.odd, found.broken


def pods(path: Path) -> object:
    found = MonthlyUsage()
    found.take(opencost_rows(path, usd_per_gb=Decimal("0.1")))
    return dict(found.amounts), found.broken, [mark for file in found.seen.files for mark in file]


def bill(usage: str, *, service: str = "", description: str = "", unit: str = "GB") -> dict[str, Any]:
    found = focus("2026-09", usage=usage, quantity=3, unit=unit, ServiceName=service, ChargeDescription=description)
    return {"rows": [{**each, "BilledCost": "1"} for each in found]}


def recorded(path: Path) -> object:
    found = read_samples([path], stack="x", month=sla_samples.OCTOBER)
    return found.runs, found.notes, found.step_seconds


def matrix(name: str, **labels: str) -> dict[str, Any]:
    values = [[1790812800 + 60 * at, "1"] for at in range(9)]
    metric = {"__name__": name, **labels, "job": "kube"}
    return {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": metric, "values": values}]}}


EXCLUSION: Final = {
    "cause": "maintenance",
    "component": "api",
    "from": "2026-10-02T00:00:00Z",
    "to": "2026-10-02T04:00:00Z",
    "reason": "an update that was announced",
    "notice_at": "2026-09-20T00:00:00Z",
}
RESULT: Final = {
    "check": "matmul",
    "subject": "node/a",
    "at": "2026-11-22T09:00:00+00:00",
    "tool": "PyTorch 2.9",
    "readings": [{"name": "tflops", "value": "700", "unit": "TFLOPS"}],
    "failed": ["one of them"],
    "params": {"shape": "8192"},
}
FORMATS: Final = (
    Census(
        name="bill.csv",
        bases=(
            bill("DataTransfer-Out-Bytes"),
            bill("DataProcessing-Bytes", service="AmazonCloudWatch"),
            bill("", description="Network Internet Egress from A to B"),
        ),
        read=used,
        text=as_table,
        others={
            **{f"rows[].{name}": (value,) for name, value in CHANGED.items()},
            "rows[].ServiceName": ("AmazonS3",),
            "rows[].ChargeCategory": ("Tax",),
            "rows[].Tags": (json.dumps({"atoll:stack": "other"}),),
        },
        unused={"rows[].BilledCost": OF_THE_CLOUD, f"rows[].{STRANGE}": OF_THE_CLOUD, STRANGE: NO_FIELD},
    ),
    Census(
        name="opencost.json",
        bases=({"data": [{"c": {"start": "2026-10-01T00:00:00Z", "end": "z", "networkInternetCost": 1.5}}]},),
        read=pods,
        text=as_json,
        others={"data[].c.start": ("2026-08-01T00:00:00Z",)},
        unused={
            f"data[].c.{STRANGE}": "OpenCost's own: CPU, memory and disks of the allocation",
            STRANGE: "OpenCost says its code and warnings beside the data",
        },
    ),
    Census(
        name="samples.csv",
        bases=(
            {
                "comments": {"stack": "x", "month": "2026-10", "step_seconds": "60", "asked": "prometheus"},
                "rows": [
                    {
                        "series": "atoll:healthy_nodes",
                        "of": "train",
                        "from": "2026-10-01T00:00Z",
                        "until": "2026-11-01T00:00Z",
                        "value": "4",
                    }
                ],
            },
        ),
        read=recorded,
        text=as_table,
        others={"rows[].until": ("2026-10-20T00:00Z",)},
        unused={
            "comments.asked": "who was asked and when, for people",
            f"comments.{STRANGE}": "a comment",
            STRANGE: NO_FIELD,
        },
    ),
    Census(
        name="samples.json",
        bases=(matrix("atoll:control_plane_up"), matrix("atoll:fabric_up", pool="train")),
        read=recorded,
        text=as_json,
        others={"data.result[].values[][]": (1790812800 + 7, "0")},
        unused={
            "data.result[].metric.job": OF_PROMETHEUS,
            f"data.result[].metric.{STRANGE}": OF_PROMETHEUS,
            f"data.result[].{STRANGE}": OF_PROMETHEUS,
            f"data.{STRANGE}": OF_PROMETHEUS,
            STRANGE: "warnings and infos of Prometheus",
        },
    ),
    Census(
        name="exclusions.yaml",
        bases=({"exclusions": [EXCLUSION]},),
        read=lambda path: exclusions_in(path, components=("api", "other")),
        text=as_yaml,
    ),
    Census(
        name="results.jsonl",
        bases=({"rows": [RESULT]},),
        read=read_records,
        text=as_json_lines,
        unused={
            f"rows[].params.{STRANGE}": "settings of a measurement, as its program says them, for people",
            STRANGE: NO_FIELD,
        },
    ),
)
CASES: Final = [(each, key) for each in FORMATS for key in sorted({key_of(p) for b in each.bases for p in leaves(b)})]
MAPPINGS: Final = [(each, key) for each in FORMATS for key in sorted({key_of(p) for p in sections(each.bases[0])})]


def name_of(value: object) -> str:
    return value.name if isinstance(value, Census) else str(value) or "root"


@pytest.mark.parametrize("census", FORMATS, ids=name_of)
def test_a_base_is_read(census: Census, tmp_path: Path) -> None:
    assert "refused" not in {census.outcome(base, tmp_path) for base in census.bases}
    assert all(census.unused.values())


@pytest.mark.parametrize(("census", "key"), CASES, ids=name_of)
def test_a_field_has_an_effect_is_refused_or_is_listed_as_unused(census: Census, key: str, tmp_path: Path) -> None:
    found = [[(base, path) for path in leaves(base) if key_of(path) == key] for base in census.bases]
    has_effect = any(census.alters(base, path, tmp_path) for places in found for base, path in places[:FEW])
    assert has_effect == (key not in census.unused), f"{census.name}: {key}"


@pytest.mark.parametrize(("census", "key"), MAPPINGS, ids=name_of)
def test_a_field_that_nobody_knows_is_refused_or_is_listed_as_unused(census: Census, key: str, tmp_path: Path) -> None:
    base = census.bases[0]
    path = next(path for path in sections(base) if key_of(path) == key)
    after = census.outcome(with_value(base, (*path, STRANGE), "x"), tmp_path)
    listed = key_of((*path, STRANGE)) in census.unused
    assert (after == "refused") != listed, f"{census.name}: {key}"


def test_each_field_of_the_incidents_log_is_sealed(tmp_path: Path) -> None:
    log = IncidentLog(tmp_path, now=lambda: datetime(2026, 11, 22, tzinfo=UTC))
    at = datetime(2026, 11, 22, tzinfo=UTC)
    facts = dict.fromkeys(("node", "uid", "placement", "pool", "machine_id", "action", "words"), "a")
    log.write(Event(at=at, incident="1", happening="opened", xids=(48,), **facts))
    log.write(Event(at=at, incident="1", happening="done", step="cordon", words="b"))
    log.close()
    before, path = read_incidents(tmp_path), log_path(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    tree = json.loads(lines[0])
    for leaf in [*leaves(tree), *((*each, STRANGE) for each in sections(tree))]:
        path.write_text("\n".join([json.dumps(with_value(tree, leaf, "other")), *lines[1:]]) + "\n", encoding="utf-8")
        with pytest.raises(InputError):
            read_incidents(tmp_path)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert read_incidents(tmp_path) == before


@pytest.mark.parametrize("rule", [each for each in RULES if each.settings.model_fields], ids=lambda each: each.name)
def test_each_setting_of_a_rule_is_read_by_a_rule(rule: Any) -> None:
    assert issubclass(rule.settings, Settings)
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "policies").rglob("*.py")]
    read = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert set(rule.settings.model_fields) <= read
