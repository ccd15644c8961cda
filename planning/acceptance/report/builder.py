"""Verdicts and records as the report's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from planning.acceptance.report.form import SCHEMA_VERSION
from planning.acceptance.scaling_curve import curves
from planning.acceptance.verdicts import CheckOutcome, worst
from planning.agents.measurement_records import BY_ID, Per

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from decimal import Decimal

    from planning.acceptance.expectations import Expectations, ExpectedPool
    from planning.acceptance.report.form import (
        AcceptanceForm,
        AcceptanceNodeForm,
        AcceptancePoolForm,
        CurveForm,
        ResultsForm,
        ToolForm,
        VerdictForm,
    )
    from planning.acceptance.scaling_curve import AllReduceCurve
    from planning.acceptance.verdicts import CheckVerdict, NodeVerdict, Verdicts
    from planning.agents.measurement_records import Results
    from planning.spec.lock import Lock

DOCUMENT: Final = "atoll acceptance"
ROOT: Final = "results."
GROUPS: Final = {
    "node": Per.NODE,
    "fabric": Per.POOL,
    "storage": Per.TIER,
    "network": Per.NETWORK,
    "smoke": Per.SERVICE,
}
"""What `--only` may name, and what its checks are about."""


def build_report(
    verdicts: Verdicts,
    results: Results,
    *,
    lock: Lock,
    lock_digest: str,
    expected: Expectations,
    unfinished: Sequence[str] = (),
    only: Collection[str] = (),
    nodes: Collection[str] = (),
) -> AcceptanceForm:
    """The report, not signed.

    Args:
        only: words of `GROUPS` that were asked for; empty for all. Then nothing else is judged.
        nodes: names that were asked for; empty for all.
    """
    kept = [each for each in verdicts.verdicts if _is_requested(each, only=only, nodes=nodes)]
    listed = [each for each in verdicts.nodes if not nodes or each.name in nodes]
    partly = len(kept) < len(verdicts.verdicts)
    return {
        "document": DOCUMENT,
        "schema_version": SCHEMA_VERSION,
        "stack": verdicts.stack,
        "option": verdicts.option,
        "lock_digest": lock_digest,
        "only": [*sorted(only), *(f"node/{name}" for name in sorted(nodes))],
        "outcome": worst(each.outcome for each in kept).value if partly else verdicts.outcome.value,
        "failed_nodes": [each.name for each in listed if each.outcome is CheckOutcome.FAILED],
        "nodes": [_node(each) for each in sorted(listed, key=lambda each: each.outcome is not CheckOutcome.FAILED)],
        "pools": [_pool(each, lock) for each in expected.pools],
        "verdicts": [_verdict(each, expected) for each in kept],
        "curves": [_curve(each, kept) for each in curves(results, expected) if each.points],
        "unfinished": list(unfinished),
        "faults": list(verdicts.faults),
        "tools": list(_tools(results)),
        "results": cast("ResultsForm", cast("object", results)),
        "signature": None,
    }


def _is_requested(verdict: CheckVerdict, *, only: Collection[str], nodes: Collection[str]) -> bool:
    per = BY_ID[verdict.check].per
    if nodes and per is Per.NODE:
        return verdict.subject.partition("/")[2] in nodes
    return not only or per in {GROUPS[each] for each in only}


def _node(verdict: NodeVerdict) -> AcceptanceNodeForm:
    return {
        "name": verdict.name,
        "placement": verdict.placement,
        "pool": verdict.pool,
        "outcome": verdict.outcome.value,
        "reasons": list(verdict.reasons),
    }


def _verdict(verdict: CheckVerdict, expected: Expectations) -> VerdictForm:
    return {
        "check": verdict.check,
        "subject": verdict.subject,
        "pool": verdict.pool,
        "title": verdict.title,
        "outcome": verdict.outcome.value,
        "sentence": verdict.sentence,
        "unit": verdict.unit,
        "measured": _text(verdict.measured),
        "least": _text(verdict.least),
        "most": _text(verdict.most),
        "theory": _text(verdict.theory),
        "params": dict(verdict.params),
        "why": verdict.why,
        "source": verdict.source or (expected.burn_in_source if verdict.check == "burn_in" else ""),
        "at": ROOT + verdict.at if verdict.at else "",
    }


def _curve(curve: AllReduceCurve, verdicts: Sequence[CheckVerdict]) -> CurveForm:
    judged = {
        (dict(each.params).get("nodes"), dict(each.params).get("payload_bytes")): each.outcome.value
        for each in verdicts
        if (each.check, each.subject) == ("all_reduce", curve.pool)
    }
    return {
        "pool": curve.pool,
        "theory": _text(curve.theory),
        "least": _text(curve.threshold),
        "why": curve.why,
        "source": curve.source,
        "node_counts": sorted({*curve.node_counts, *(each.nodes for each in curve.points)}),
        "points": [
            {
                "nodes": each.nodes,
                "payload_bytes": each.payload_bytes,
                "bus_gb_per_s": format(each.bus_gb_per_s.normalize(), "f"),
                "outcome": judged.get((str(each.nodes), str(each.payload_bytes)), ""),
                "at": ROOT + each.at,
            }
            for each in curve.points
        ],
    }


def _text(value: Decimal | None) -> str | None:
    return None if value is None else format(value.normalize(), "f")


def _pool(pool: ExpectedPool, lock: Lock) -> AcceptancePoolForm:
    at = next(
        f"placements.{place}.pools.{number}"
        for place, spec in enumerate(lock.placements)
        for number, each in enumerate(spec.pools)
        if (spec.placement.name, each.name) == (pool.placement, pool.name)
    )
    return {
        "subject": pool.subject,
        "name": pool.name,
        "placement": pool.placement,
        "at": at,
        "machine": pool.machine,
        "accelerator": pool.accelerator,
        "accelerators": pool.accelerators,
        "nodes": pool.nodes,
        "nodes_at": f"{at}.max_nodes",
    }


def _tools(results: Results) -> Iterator[ToolForm]:
    """Every tool once for each check, in the order of the checks."""
    found: dict[tuple[str, str], str] = {}
    for index, each in enumerate(results["measured"]):
        found.setdefault((each["check"], each["tool"]), f"{ROOT}measured.{index}.tool")
    order = list(BY_ID)
    known = sorted((key for key in found if key[0] in BY_ID), key=lambda key: (order.index(key[0]), key[1]))
    for check, tool in known:
        yield {"check": check, "tool": tool, "at": found[check, tool]}
