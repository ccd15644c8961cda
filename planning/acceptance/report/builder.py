"""Verdicts and records as the report's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from planning.acceptance.records import index_records
from planning.acceptance.report.form import (
    SCHEMA_VERSION,
    AcceptanceNodeForm,
    AcceptancePoolForm,
    CurveForm,
    VerdictForm,
)
from planning.acceptance.verdicts import CheckOutcome, worst
from planning.agents.measurement_records import BY_ID, Per
from planning.values.json_format import decimal_text, fill_form

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from decimal import Decimal

    from planning.acceptance.expectations import Expectations
    from planning.acceptance.node_limits import ExpectedPool
    from planning.acceptance.report.form import AcceptanceForm, PointForm, ResultsForm, ToolForm
    from planning.acceptance.verdicts import CheckVerdict, Verdicts
    from planning.agents.measurement_records import Results
    from planning.spec.lock import Lock

DOCUMENT: Final = "atoll acceptance"
ROOT: Final = "results."
GROUPS: Final = {  # values of `--only`
    "node": Per.NODE,
    "fabric": Per.POOL,
    "storage": Per.TIER,
    "network": Per.NETWORK,
    "smoke": Per.SERVICE,
}


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
    """Build the report, unsigned.

    Args:
        only: requested keys of `GROUPS`; empty for all. Nothing else is judged.
        nodes: requested names; empty for all.
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
        "nodes": [
            fill_form(AcceptanceNodeForm, each)
            for each in sorted(listed, key=lambda each: each.outcome is not CheckOutcome.FAILED)
        ],
        "pools": [_fill_pool(each, lock) for each in expected.pools],
        "verdicts": [_fill_verdict(each, expected) for each in kept],
        "curves": list(fill_curves(results, expected, kept)),
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


def _fill_verdict(verdict: CheckVerdict, expected: Expectations) -> VerdictForm:
    return fill_form(
        VerdictForm,
        verdict,
        params=dict(verdict.params),
        source=verdict.source or (expected.burn_in_source if verdict.check == "burn_in" else ""),
        at=ROOT + verdict.at if verdict.at else "",
    )


def fill_curves(results: Results, expected: Expectations, verdicts: Sequence[CheckVerdict] = ()) -> Iterator[CurveForm]:
    """Curves of the all-reduce of each measured pool of several nodes, at the worst of its runs."""
    given = index_records(results, expected)
    judged = {
        (each.subject, *(dict(each.params).get(name, "") for name in ("nodes", "payload_bytes"))): each.outcome.value
        for each in verdicts
        if each.check == "all_reduce"
    }
    for pool in expected.pools:
        worst: dict[tuple[int, int], tuple[Decimal, str]] = {}
        for record in given.of("all_reduce", pool.subject) if pool.all_reduce else ():
            size = int(record.read_param("nodes")), int(record.read_param("payload_bytes"))
            bus = record.read_figure("bus")
            if bus is not None and all(size) and (size not in worst or bus < worst[size][0]):
                worst[size] = bus, record.at("bus")
        if not worst:
            continue
        points: list[PointForm] = [
            {
                "nodes": nodes,
                "payload_bytes": payload,
                "bus_gb_per_s": decimal_text(bus),
                "outcome": judged.get((pool.subject, str(nodes), str(payload)), ""),
                "at": ROOT + at,
            }
            for (nodes, payload), (bus, at) in sorted(worst.items())
        ]
        counts = {*(each.nodes for each in pool.all_reduce), *(nodes for nodes, _ in worst)}
        limit = pool.all_reduce[-1].limit
        yield fill_form(CurveForm, limit, pool=pool.subject, node_counts=sorted(counts), points=points)


def _fill_pool(pool: ExpectedPool, lock: Lock) -> AcceptancePoolForm:
    at = next(
        f"placements.{place}.pools.{number}"
        for place, spec in enumerate(lock.placements)
        for number, each in enumerate(spec.pools)
        if (spec.placement.name, each.name) == (pool.placement, pool.name)
    )
    return fill_form(AcceptancePoolForm, pool, at=at, nodes_at=f"{at}.max_nodes")


def _tools(results: Results) -> Iterator[ToolForm]:
    """Tools by check, in the order of the checks."""
    found: dict[tuple[str, str], str] = {}
    for index, each in enumerate(results["measured"]):
        found.setdefault((each["check"], each["tool"]), f"{ROOT}measured.{index}.tool")
    order = list(BY_ID)
    known = sorted((key for key in found if key[0] in BY_ID), key=lambda key: (order.index(key[0]), key[1]))
    for check, tool in known:
        yield {"check": check, "tool": tool, "at": found[check, tool]}
