"""The report of an acceptance on one page, with its pictures."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.charts.axes import Scale, element, escape_text, grid, picture, scale, text, with_hover
from cli.pages.documents.rendering import render_html
from planning.acceptance.report import tables
from planning.acceptance.report.formatting import FAILED, gib
from planning.values.money import round_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from planning.acceptance.report.form import AcceptanceForm, CurveForm
    from planning.documents.blocks import Document


WIDTH: Final = 960
LEFT: Final = 64
RIGHT: Final = 190
TOP: Final = 26
PLOT: Final = 300
BOTTOM: Final = 56
ROW: Final = 24
BAR: Final = 14
NAMES: Final = 250
APART: Final = 15  # pixels between names at the right edge
MOST_BARS: Final = 80  # failed nodes first; what is left out is said
# Okabe and Ito's colours, as the other charts have them; vermilion is kept for what failed.
COLOURS: Final = ("#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b8a800", "#8a5ad6", "#8a94a3")
FAILED_COLOUR: Final = "#d55e00"
PASSED: Final = "#0072b2"
UNTOLD: Final = "#8a94a3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    nodes: int
    value: Decimal
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadCurve:
    label: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A node; `value` is None where it told none."""

    name: str
    value: Decimal | None
    failed: bool = False


def all_reduce_chart(
    curves: Sequence[PayloadCurve], *, counts: Sequence[int], theory: Decimal | None, least: Decimal | None, unit: str
) -> Markup:
    """A line for each payload over growing node counts, the theory, and the least that must be reached.

    Args:
        counts: node counts along the bottom, growing; each as far from the next as any other.
    """
    values = [dot.value for curve in curves for dot in curve.dots]
    most = max([*values, *(each for each in (theory, least) if each is not None)], default=Decimal(1))
    up = scale(most, left=TOP + PLOT, width=-PLOT)
    return picture(
        f"All-reduce over growing node counts in {unit}, against the theory",
        *_levels(up, unit),
        *_counts(counts),
        *_line(up, theory, kind="theory", label="theory"),
        *_line(up, least, kind="least", label="least"),
        *(part for at, curve in enumerate(curves) for part in _curve(curve, up, counts, COLOURS[at % len(COLOURS)])),
        *_names(curves, up, theory=theory, least=least),
        width=WIDTH,
        height=TOP + PLOT + BOTTOM,
    )


def node_chart(bars: Sequence[Bar], *, least: Decimal | None, unit: str) -> Markup:
    ordered = sorted(bars, key=lambda each: (not each.failed, each.value is not None, each.name))
    shown = ordered[:MOST_BARS]
    most = max(
        [each.value for each in shown if each.value is not None] + ([least] if least else []), default=Decimal(1)
    )
    axis = scale(most, left=NAMES, width=WIDTH - NAMES - RIGHT)
    height = TOP + ROW * len(shown) + BOTTOM
    more = f"; {len(ordered) - len(shown)} more nodes that passed are not drawn" if len(ordered) > len(shown) else ""
    return picture(
        f"The slowest accelerator of each node in {unit}, against the least{more}",
        *grid(axis, top=TOP - 4, bottom=height - BOTTOM, unit=unit + more, shown="{:,}".format),
        *(part for at, each in enumerate(shown) for part in _bar(each, axis, y=TOP + ROW * at)),
        *_threshold(axis, least, bottom=height - BOTTOM),
        width=WIDTH,
        height=height,
    )


def _levels(up: Scale, unit: str) -> Iterator[Markup]:
    right = WIDTH - RIGHT
    for tick in up.ticks:
        y = up.at(tick)
        yield element("line", x1=LEFT, x2=right, y1=y, y2=y, class_="grid")
        yield text(f"{tick.normalize():,f}", x=LEFT - 8, y=y + 4, class_="where right")
    yield text(unit, x=LEFT - 8, y=TOP - 12, class_="where right")


def _counts(counts: Sequence[int]) -> Iterator[Markup]:
    for each in counts:
        yield text(str(each), x=_x(each, counts), y=TOP + PLOT + 20, class_="tick")
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield text("nodes", x=middle, y=TOP + PLOT + 40, class_="tick")


def _x(nodes: int, counts: Sequence[int]) -> float:
    share = (WIDTH - RIGHT - LEFT) / (len(counts) + 1)
    return LEFT + share * (list(counts).index(nodes) + 1)


def _line(up: Scale, value: Decimal | None, *, kind: str, label: str) -> Iterator[Markup]:
    if value is None:
        return
    y = up.at(value)
    line = element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_=kind)
    yield with_hover(f"{label}: {_format_number(value)}", line)


def _curve(curve: PayloadCurve, up: Scale, counts: Sequence[int], colour: str) -> Iterator[Markup]:
    places = [(_x(dot.nodes, counts), up.at(dot.value), dot) for dot in curve.dots]
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)
    if len(places) > 1:
        yield element("path", d=f"M{path}", class_="curve", stroke=colour)
    for x, y, dot in places:
        mark = element("circle", cx=x, cy=y, r=6 if dot.failed else 4, fill=FAILED_COLOUR if dot.failed else colour)
        yield with_hover(f"{curve.label} over {dot.nodes} nodes: {_format_number(dot.value)}", mark)


def _names(
    curves: Sequence[PayloadCurve], up: Scale, *, theory: Decimal | None, least: Decimal | None
) -> Iterator[Markup]:
    """Names of the lines at the right edge, pushed apart where they would lie on each other."""
    found = [
        (up.at(curve.dots[-1].value), curve.label, "", COLOURS[at % len(COLOURS)])
        for at, curve in enumerate(curves)
        if curve.dots
    ]
    found += [(up.at(theory), f"theory {_format_number(theory)}", "", "")] if theory is not None else []
    found += [(up.at(least), f"least {_format_number(least)}", "at-least", "")] if least is not None else []
    last = 0.0
    for y, label, kind, colour in sorted(found):
        place = max(y + 4, last + APART)
        last = place
        mark = element("rect", x=WIDTH - RIGHT + 8, y=place - 9, width=10, height=10, fill=colour)
        if colour:
            yield mark
        yield text(label, x=WIDTH - RIGHT + (24 if colour else 8), y=place, class_=kind or "name")


def _bar(bar: Bar, axis: Scale, *, y: int) -> Iterator[Markup]:
    kind = "failed" if bar.failed else "name"
    yield text(bar.name, x=NAMES - 10, y=y + 12, class_=f"right {kind}")
    if bar.value is None:
        yield element("text", escape_text("not measured"), x=NAMES + 4, y=y + 12, fill=UNTOLD, class_="where")
        return
    end = axis.at(bar.value)
    colour = FAILED_COLOUR if bar.failed else PASSED
    mark = element("rect", x=NAMES, y=y, width=max(end - NAMES, 2.0), height=BAR, fill=colour)
    yield with_hover(f"{bar.name}: {_format_number(bar.value)}", mark)
    said = f"{_format_number(bar.value)}" + (" failed" if bar.failed else "")
    yield text(said, x=end + 8, y=y + 8, class_="amount")


def _threshold(axis: Scale, least: Decimal | None, *, bottom: int) -> Iterator[Markup]:
    if least is None:
        return
    x = axis.at(least)
    yield element("line", x1=x, x2=x, y1=TOP - 10, y2=bottom + 4, class_="least")
    yield text(f"least {_format_number(least)}", x=x, y=TOP - 14, class_="ceiling-name")


def _format_number(value: Decimal) -> str:
    rounded = round_to(value, Decimal("0.01"))
    return f"{rounded:,f}".rstrip("0").rstrip(".")


def page(document: Document, form: AcceptanceForm) -> str:
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
        Bar(
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
