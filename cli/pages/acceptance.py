"""The report of an acceptance on one page, with its pictures."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from cli.pages.charts.acceptance import STYLE, Bar, Dot, PayloadCurve, all_reduce_chart, node_chart
from cli.pages.documents.html import document_page
from planning.acceptance.report import tables
from planning.acceptance.report.formatting import FAILED, gib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli.pages.documents.markup import Markup
    from planning.acceptance.report.form import AcceptanceForm, CurveForm
    from planning.documents.blocks import Document


def page(document: Document, form: AcceptanceForm) -> str:
    return document_page(document, pictures=dict(_pictures(form)), style=STYLE)


def _pictures(form: AcceptanceForm) -> Iterator[tuple[str, Markup]]:
    for curve in form["curves"]:
        yield tables.fabric_chart_name(curve["pool"]), _fabric(curve)
    for pool in form["pools"]:
        found = _nodes(form, pool["name"], pool["placement"])
        if found is not None:
            yield tables.node_chart_name(pool["subject"]), found


def _fabric(curve: CurveForm) -> Markup:
    payloads = sorted({each["payload_bytes"] for each in curve["points"]})
    lines = [
        PayloadCurve(
            label=gib(payload),
            dots=tuple(
                Dot(nodes=each["nodes"], value=Decimal(each["bus_gb_per_s"]), failed=each["outcome"] == FAILED)
                for each in sorted(curve["points"], key=lambda each: each["nodes"])
                if each["payload_bytes"] == payload
            ),
        )
        for payload in payloads
    ]
    return all_reduce_chart(
        lines, counts=curve["node_counts"], theory=_amount(curve["theory"]), least=_amount(curve["least"]), unit="GB/s"
    )


def _nodes(form: AcceptanceForm, pool: str, placement: str) -> Markup | None:
    found = tables.worst_of(form)
    mine = [each for each in form["nodes"] if (each["pool"], each["placement"]) == (pool, placement)]
    told = {each["name"]: found.get((tables.DRAWN, f"node/{each['name']}")) for each in mine}
    verdicts = [each for each in told.values() if each is not None and each["measured"] is not None]
    if not verdicts:
        return None
    bars = [
        Bar(
            name=each["name"],
            value=_amount(verdict["measured"]) if (verdict := told[each["name"]]) is not None else None,
            failed=each["outcome"] == FAILED,
        )
        for each in mine
    ]
    least = next((each["least"] for each in verdicts if each["least"] is not None), None)
    return node_chart(bars, least=_amount(least), unit=verdicts[0]["unit"])


def _amount(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
