"""Comparisons by hand, in the shape that `atoll diff` gives."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planning.costs.json_shapes import RangeForm
    from planning.diff.form import (
        AmountForm,
        BreachForm,
        CalledOutForm,
        CeilingChangeForm,
        ComponentDiffForm,
        DeltaForm,
        DiffForm,
        ExemptionForm,
        JudgeChangeForm,
        LineDiffForm,
        StackDiffForm,
    )

NOISE = (
    "@acme/ops #12 GH-7 <img src=x onerror=alert(1)> [x](http://evil.example) `|` **b** "
    "\n# h\n\u202e\u200bwww.evil.example $x$"
)


def readings(expected: str, low: str = "", high: str = "") -> RangeForm:
    return {"min": low or expected, "expected": expected, "max": high or expected}


def amount(expected: str, low: str = "", high: str = "", *, unpriced: int = 0, estimated: int = 0) -> AmountForm:
    return {"usd_per_month": readings(expected, low, high), "unpriced": unpriced, "estimated": estimated}


def delta(old: AmountForm | None, new: AmountForm | None) -> DeltaForm:
    was, now = (each["usd_per_month"]["expected"] if each else "0" for each in (old, new))
    moved = Decimal(now) - Decimal(was)
    share = f"{moved / Decimal(was) * 100:.1f}" if Decimal(was) else None
    return {"usd_per_month": readings(str(moved)), "percent": share}


def line(key: str, old: AmountForm | None, new: AmountForm | None, **changed: object) -> LineDiffForm:
    form: LineDiffForm = {
        "key": key,
        "label": f"{key}: p5.48xlarge",
        "change": "quantity" if old and new else "added" if new else "removed",
        "old": old,
        "new": new,
        "delta": delta(old, new),
        "quantity": ["1460" if old else "", "2920" if new else ""],
        "unit": "node-hour",
        "usd_per_unit": ["31.464" if old else "", "31.464" if new else ""],
        "source": "aws price list",
    }
    return {**form, **changed}  # pyright: ignore[reportReturnType]  # a test names fields of the form


def component(name: str, *lines: LineDiffForm, old: AmountForm | None, new: AmountForm | None) -> ComponentDiffForm:
    return {"name": name, "old": old, "new": new, "delta": delta(old, new), "lines": list(lines)}


def breach(rule: str = "monthly-ceiling", **changed: object) -> BreachForm:
    form: BreachForm = {
        "rule": rule,
        "title": "Monthly ceiling",
        "verdict": "over",
        "level": "mandatory",
        "stops": True,
        "new": True,
        "sentence": "Monthly ceiling: the month comes to 96,000.00 USD; the ceiling is 60,000.00 USD. Take 2 nodes.",
        "urn": "",
        "path": "",
        "exemption": "",
    }
    return {**form, **changed}  # pyright: ignore[reportReturnType]


def exemption(**changed: object) -> ExemptionForm:
    form: ExemptionForm = {
        "rule": "public-exposure",
        "resource": "bastion",
        "owner": "ops@acme.example",
        "reason": "the trial of October needs it",
        "expires": "2026-12-31",
        "max_usd_per_month": None,
        "standing": "unused",
    }
    return {**form, **changed}  # pyright: ignore[reportReturnType]


def called_out(**changed: object) -> CalledOutForm:
    form: CalledOutForm = {
        "action": "replace",
        "urn": "urn:pulumi:acme::atoll::atoll:storage:Tier$aws:s3/bucket:Bucket::warm",
        "type": "aws:s3/bucket:Bucket",
        "name": "warm",
        "protected": True,
        "holds_data": True,
        "because": ["bucket"],
    }
    return {**form, **changed}  # pyright: ignore[reportReturnType]


def ceiling(**changed: object) -> CeilingChangeForm:
    form: CeilingChangeForm = {
        "what": "usd_per_month",
        "where": "stacks/acme/checklist.yaml",
        "old": "60000",
        "new": "120000",
        "raised": True,
    }
    return {**form, **changed}  # pyright: ignore[reportReturnType]


def judge_change(**changed: object) -> JudgeChangeForm:
    form: JudgeChangeForm = {"what": "workflow", "path": ".github/workflows/cost.yml", "words": "the workflow differs"}
    return {**form, **changed}  # pyright: ignore[reportReturnType]


def stack(name: str = "acme", **changed: object) -> StackDiffForm:
    """Two nodes become four."""
    old, new = amount("50000", "3000", "52000"), amount("95937.44", "3000", "98000")
    pool = line("pool/train/machine", amount("45937.44"), amount("91874.88"))
    tier = line("storage/warm", None, amount("120.5"), label="warm tier", unit="GB-month", quantity=["", "2000"])
    form: StackDiffForm = {
        "stack": name,
        "state": "changed",
        "was": "",
        "failure": "",
        "old": old,
        "new": new,
        "delta": delta(old, new),
        "by_change": delta(old, new),
        "by_prices": None,
        "components": [
            component("pool/train", pool, old=pool["old"], new=pool["new"]),
            component("storage/warm", tier, old=None, new=tier["new"]),
        ],
        "counts": {"created": 2, "updated": 1, "replaced": 1, "deleted": 0, "unchanged": 140},
        "called_out": [],
        "before": {"verdict": "within", "reason": "50,000.00 of 60,000.00 USD a month", "exit_code": 0},
        "after": {"verdict": "over", "reason": "95,937.44 of 60,000.00 USD a month", "exit_code": 10},
        "breaches": [breach()],
        "mended": [],
        "exemptions": [],
        "ceilings": [],
        "notes": [],
    }
    return {**form, **changed}  # pyright: ignore[reportReturnType]


def within(name: str, **changed: object) -> StackDiffForm:
    kept = {"verdict": "within", "reason": "1.00 of 2.00 USD a month", "exit_code": 0}
    return stack(name, after=kept, breaches=[], **changed)


def failed(name: str, failure: str = "stacks/x/quote.lock.json: not JSON") -> StackDiffForm:
    nothing = {"old": None, "new": None, "delta": None, "by_change": None, "before": None, "after": None}
    return stack(name, state="failed", failure=failure, components=[], counts=None, breaches=[], **nothing)


def diff(*stacks: StackDiffForm, **changed: object) -> DiffForm:
    old, new = amount("50000"), amount("95937.44")
    form: DiffForm = {
        "schema_version": 1,
        "base": {
            "ref": "main",
            "commit": "a" * 40,
            "prices": "current",
            "prices_digest": "sha256:0",
            "prices_as_of": "2026-10-31",
        },
        "head": {
            "ref": "more-nodes",
            "commit": "b" * 40,
            "prices": "current",
            "prices_digest": "sha256:0",
            "prices_as_of": "2026-10-31",
        },
        "stacks": list(stacks),
        "untouched": 9,
        "old": old,
        "new": new,
        "delta": delta(old, new),
        "judge_changes": [],
        "verdict": "over",
        "exit_code": 10,
        "notes": [],
    }
    return {**form, **changed}  # pyright: ignore[reportReturnType]
