"""Panels and boards, and the one place that lays them out and writes them as Grafana reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COLUMNS: Final = 24  # of Grafana's grid
SCHEMA: Final = 41  # of the classic dashboard model (github.com/grafana/grafana, kinds/dashboard), which 13 still reads
Source = Literal["prometheus", "loki"]
Shape = Literal["stat", "timeseries", "bargauge", "table", "logs"]
Unit = Literal["short", "percent", "percentunit", "currencyUSD", "bytes", "Bps", "celsius", "watt", "s", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One query of a panel.

    Args:
        expr: PromQL, or LogQL for Loki.
        legend: with labels in double braces; "" for Grafana's own.
        now: whether only the present value is asked for.
    """

    expr: str
    legend: str = ""
    now: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture.

    Args:
        note: what one should see in it, shown at the title.
        width: of 24 columns; height: in rows of Grafana's grid.
        limits: values from which it is yellow and red; empty for no colour.
        stacked: whether lines are piled up.
    """

    title: str
    queries: Sequence[Query]
    shape: Shape = "timeseries"
    unit: Unit = "short"
    note: str = ""
    width: int = 12
    height: int = 8
    limits: Sequence[float] = ()
    stacked: bool = False
    source: Source = "prometheus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One dashboard.

    Args:
        uid: constant, part of its address: "atoll-gpus".
        rows: panels from left to right, each row as high as its highest panel.
    """

    uid: str
    title: str
    note: str
    rows: Sequence[Sequence[Panel]]
    span: str = "now-24h"

    @property
    def panels(self) -> Iterator[Panel]:
        """All of them, from the top left."""
        for row in self.rows:
            yield from row

    def as_json(self) -> dict[str, object]:
        """The dashboard as Grafana imports it.

        Raises:
            ValueError: a row is wider than the grid.
        """
        return {
            "uid": self.uid,
            "title": self.title,
            "description": self.note,
            "tags": ["atoll"],
            "schemaVersion": SCHEMA,
            "version": 1,
            "editable": False,
            "graphTooltip": 1,
            "refresh": "1m",
            "time": {"from": self.span, "to": "now"},
            "timezone": "browser",
            "templating": {"list": []},
            "annotations": {"list": []},
            "panels": list(self._laid_out()),
        }

    def _laid_out(self) -> Iterator[dict[str, object]]:
        number, top = 0, 0
        for row in self.rows:
            if sum(panel.width for panel in row) > COLUMNS:
                raise ValueError(f"{self.uid}: a row is wider than {COLUMNS} columns: {[each.title for each in row]}")
            left = 0
            for panel in row:
                number += 1
                yield _render_panel(panel, number, {"x": left, "y": top, "w": panel.width, "h": panel.height})
                left += panel.width
            top += max(panel.height for panel in row)


def _render_panel(panel: Panel, number: int, place: dict[str, int]) -> dict[str, object]:
    source = {"type": panel.source, "uid": panel.source}
    return {
        "id": number,
        "type": panel.shape,
        "title": panel.title,
        "description": panel.note,
        "gridPos": place,
        "datasource": source,
        "fieldConfig": {
            "defaults": {"unit": panel.unit, **_render_colours(panel), **_render_stacking(panel)},
            "overrides": [],
        },
        "options": OPTIONS[panel.shape],
        "targets": [_target(query, panel, letter) for query, letter in zip(panel.queries, "ABCDEFGH", strict=False)],
    }


def _target(query: Query, panel: Panel, letter: str) -> dict[str, object]:
    found: dict[str, object] = {
        "refId": letter,
        "datasource": {"type": panel.source, "uid": panel.source},
        "expr": query.expr,
        "instant": query.now,
        "range": not query.now,
    }
    if query.legend:
        found["legendFormat"] = query.legend
    if panel.shape == "table":
        found["format"] = "table"
    return found


def _render_colours(panel: Panel) -> dict[str, object]:
    colours = ["yellow", "red"] if len(panel.limits) > 1 else ["red"]
    steps: list[dict[str, object]] = [{"color": "green", "value": None}]
    steps.extend({"color": colour, "value": at} for colour, at in zip(colours, panel.limits, strict=False))
    return {
        "thresholds": {"mode": "absolute", "steps": steps},
        "color": {"mode": "thresholds" if panel.limits else "palette-classic"},
    }


def _render_stacking(panel: Panel) -> dict[str, object]:
    if panel.shape != "timeseries":
        return {}
    pile = {"stacking": {"mode": "normal" if panel.stacked else "none"}}
    return {"custom": {"fillOpacity": 20 if panel.stacked else 0, "showPoints": "never", **pile}}


LATEST: Final = {"calcs": ["lastNotNull"], "fields": "", "values": False}
OPTIONS: Final[dict[Shape, dict[str, object]]] = {
    "stat": {"reduceOptions": LATEST, "colorMode": "value", "graphMode": "area"},
    "timeseries": {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
    "bargauge": {"reduceOptions": LATEST, "displayMode": "basic", "orientation": "horizontal"},
    "table": {"showHeader": True},
    "logs": {"showTime": True, "wrapLogMessage": True, "sortOrder": "Descending"},
}


def stat(title: str, expr: str, *, unit: Unit = "short", limits: Sequence[float] = (), note: str = "") -> Panel:
    return Panel(
        title=title, queries=(Query(expr=expr),), shape="stat", unit=unit, limits=limits, note=note, width=6, height=4
    )


def line(
    title: str,
    expr: str,
    legend: str = "",
    *,
    unit: Unit = "short",
    stacked: bool = False,
    note: str = "",
    width: int = 12,
    limits: Sequence[float] = (),
) -> Panel:
    return Panel(
        title=title,
        queries=(Query(expr=expr, legend=legend),),
        unit=unit,
        stacked=stacked,
        note=note,
        width=width,
        limits=limits,
    )


def bars(title: str, expr: str, legend: str, *, unit: Unit = "short", note: str = "", width: int = 12) -> Panel:
    """One bar per result, as of now."""
    query = Query(expr=expr, legend=legend, now=True)
    return Panel(title=title, queries=(query,), shape="bargauge", unit=unit, note=note, width=width)


def matches(query: str, title: str) -> Panel:
    """Lines of the logs that match, over the whole width."""
    return Panel(title=title, queries=(Query(expr=query),), shape="logs", unit="none", width=COLUMNS, source="loki")
