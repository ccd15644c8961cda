"""The reports of an acceptance and of a month's service levels on one page each, with their charts."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from cli.pages.charts.bars import NodeBar, node_chart, strips
from cli.pages.charts.lines import Dot, PayloadCurve, all_reduce_chart
from cli.pages.charts.ranges import availability_chart
from cli.pages.documents.rendering import render_html
from planning.acceptance.report import tables
from planning.acceptance.report.formatting import FAILED, gib
from planning.service_levels.document import AGAINST, STRIPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from planning.acceptance.report.form import AcceptanceForm, CurveForm
    from planning.documents.blocks import Document
    from planning.service_levels.form import SlaForm


def acceptance_page(document: Document, form: AcceptanceForm) -> str:
    return render_html(document, pictures=dict(_pictures(form)), styles=("document", "acceptance"))


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
        NodeBar(
            name=each["name"],
            value=_amount(verdict["measured"]) if (verdict := told[each["name"]]) is not None else None,
            failed=each["outcome"] == FAILED,
        )
        for each in mine
    ]
    least = next((each["least"] for each in verdicts if each["least"] is not None), None)
    return node_chart(bars, least=_amount(least), unit=verdicts[0]["unit"])


def _amount(said: str | None) -> Decimal | None:
    return None if said is None else Decimal(said)


def sla_page(form: SlaForm, document: Document) -> str:
    pictures = {STRIPS: strips(form), AGAINST: availability_chart(form)}
    return render_html(document, pictures=pictures, styles=("document", "service_levels"))
