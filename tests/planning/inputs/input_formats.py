"""Every kind of file that a user hands in: what reads it, and a small one that is sound."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import sla_samples

from catalogs.catalog import load
from operations.acceptance.result_store import read_meta, read_records
from operations.acceptance.signatures import public_key, read_report
from operations.clone.stack_config import read_portable_config
from operations.engine.environment import Backend, secrets_provider
from operations.handbook.stack_outputs import read_outputs
from operations.project.stack_config import read_config, with_accepted
from operations.relocation.config.manual_confirmations import read_marks
from operations.relocation.config.plan_inputs import read_measured
from operations.relocation.config.reader import ALL_SET
from operations.relocation.config.reader import read_file as read_places
from operations.service_levels.monthly_report import exclusions_in, read_samples
from operations.usage.bill_files import opencost_rows, rows
from planning.checklist.reading.checklist_file import read_file as read_checklist
from planning.clone.decisions.answers_file import read_answers
from planning.costs.resources.formats.file import read_file as read_preview
from planning.inputs.files import read_text
from planning.inputs.yaml_document import read_fields
from planning.spec.lock import read_lock, to_text
from policies.settings_reader import read_law
from policies.table import RULES

ROOT = Path(__file__).parents[3]
LOCK = sla_samples.lock()
BILL_HEAD = "ChargePeriodStart,ConsumedQuantity,ConsumedUnit,ChargeCategory,x_UsageType,Tags\n"
BILL_ROW = "2026-10-01,2,GB,Usage,DataTransfer-Out-Bytes,{}\n"
CONFIG = "encryptionsalt: v1:abc=:v1:def\nconfig:\n  atoll:reach: all\n  aws:region: us-east-1\n"
URN = "urn:pulumi:prod::atoll::aws:ec2/vpc:Vpc::main"
STATE = {"deployment": {"resources": [{"urn": URN, "type": "aws:ec2/vpc:Vpc", "inputs": {"cidrBlock": "10.0.0.0/16"}}]}}
CHECKLIST = (ROOT / "stacks/demo/checklist.yaml").read_text(encoding="utf-8")
MATRIX = {"metric": {"__name__": "atoll:control_plane_up"}, "values": [[1790812800 + 60 * at, "1"] for at in range(9)]}


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Args:
        name: of a file of this kind.
        optional: whether an absent or empty one is fine.
    """

    name: str
    read: Callable[[Path], object]
    sound: str
    optional: bool = False


def as_csv(*lines: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue()


def answers(path: Path) -> object:
    checklist = read_checklist(ROOT / "stacks/demo/checklist.yaml")
    return read_answers(read_text(path), file=str(path), decisions=(), checklist=checklist)


def accepted(path: Path) -> object:
    return with_accepted(path, option="a")


def cloned(path: Path) -> object:
    return read_portable_config(path, same_provider=True)


PRICES = as_csv(
    ("provider", "item", "region", "purchase", "unit", "usd", "above", "source", "as_of"),
    ("aws", "*", "*", "*", "", "-12%", "", "contract 7", ""),
)
FORMATS = {
    "checklist": Format("checklist.yaml", read_checklist, CHECKLIST),
    "lock": Format("quote.lock.json", read_lock, to_text(LOCK)),
    "stack file, accepted": Format("Pulumi.x.yaml", accepted, CONFIG, optional=True),
    "stack file, offline": Format("Pulumi.x.yaml", read_config, CONFIG, optional=True),
    "stack file, cloned": Format("Pulumi.x.yaml", cloned, CONFIG, optional=True),
    "stack file, secrets": Format(
        "Pulumi.x.yaml",
        lambda path: secrets_provider(path, asked="", where=Backend("file://x", "test")),
        CONFIG,
        optional=True,
    ),
    "project file": Format("Pulumi.yaml", read_fields, "name: atoll\nruntime: python\n", optional=True),
    "policies": Format(
        "policies.yaml", lambda path: read_law(path, rules=RULES), "rules: {}\nexemptions: []\n", optional=True
    ),
    "price book": Format("own.csv", lambda path: load(override=path), PRICES),
    "bill, CSV": Format("bill.csv", lambda path: list(rows(path, tag=None)), BILL_HEAD + BILL_ROW),
    "bill, NDJSON": Format(
        "bill.ndjson",
        lambda path: list(rows(path, tag=None)),
        json.dumps(dict(zip(BILL_HEAD.strip().split(","), BILL_ROW.strip().split(","), strict=True))) + "\n",
    ),
    "OpenCost": Format(
        "opencost.json",
        lambda path: list(opencost_rows(path, usd_per_gb=Decimal("0.09"))),
        json.dumps({"data": [{"c": {"start": "2026-10-01T00:00:00Z", "networkInternetCost": 1.5}}]}),
    ),
    "samples": Format(
        "samples.csv",
        lambda path: read_samples([path], stack="x", month=sla_samples.OCTOBER),
        "series,of,from,until,value\natoll:control_plane_up,,2026-10-01T00:00Z,2026-11-01T00:00Z,1\n",
    ),
    "answers of Prometheus": Format(
        "samples.json",
        lambda path: read_samples([path], stack="x", month=sla_samples.OCTOBER),
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [MATRIX]}}),
    ),
    "exclusions": Format(
        "exclusions.yaml", lambda path: exclusions_in(path, components=("api",)), "exclusions: []\n", optional=True
    ),
    "acceptance results": Format(
        "results.jsonl",
        read_records,
        '{"check":"burn-in","subject":"node/a","at":"2026-11-22T09:00:00+00:00","tool":"x","readings":[],"failed":[],'
        '"params":{}}\n',
        optional=True,
    ),
    "acceptance run": Format("meta.json", read_meta, "{}"),
    "acceptance report": Format("report.json", read_report, "{}"),
    "public key": Format("key.pub", public_key, "ssh-ed25519 AAAA"),
    "preview or state": Format("state.json", read_preview, json.dumps(STATE)),
    "outputs": Format("outputs.json", lambda path: read_outputs(path, lock=LOCK), '{"region": "x"}'),
    "decisions": Format("decisions.yaml", answers, "", optional=True),
    "relocation": Format("relocation.yaml", lambda path: read_places(path, environment=ALL_SET), "source: {}\n"),
    "by hand": Format(
        "by-hand.yaml",
        lambda path: read_marks(path, known=("a",), now=datetime(2026, 11, 22, tzinfo=UTC)),
        "things: {}\n",
        optional=True,
    ),
    "volumes": Format("volumes.yaml", read_measured, "rates:\n  bandwidth: 1Gbps\n", optional=True),
}
