"""Dashboards: catalogs/platform/dashboards.yaml, laid out and written as Grafana reads it."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from pydantic.dataclasses import dataclass

from planning.inputs.fact_tables import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.platform.alerts.model import AlertFacts

COLUMNS: Final = 24  # of Grafana's grid
SCHEMA: Final = 41  # of the classic dashboard model (github.com/grafana/grafana, kinds/dashboard), which 13 still reads
Source = Literal["prometheus", "loki"]
Shape = Literal["stat", "timeseries", "bargauge", "logs"]
Unit = Literal["short", "percent", "percentunit", "currencyUSD", "bytes", "Bps", "celsius", "watt", "s", "none"]


WIDTHS: Final[dict[Shape, int]] = {"stat": 6, "timeseries": 12, "bargauge": 12, "logs": COLUMNS}


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One picture, an entry of the table.

    Args:
        limits: values from which it is yellow and red; empty for no colour.
        width: of 24 columns; None for the shape's own.
        needs: what must be there for it to be shown, as `AlertFacts.has_all` knows it.
    """

    title: str
    expr: str
    legend: str = ""
    shape: Shape = "timeseries"
    unit: Unit = "short"
    note: str = ""
    limits: list[int | float] = field(default_factory=list[int | float])
    stacked: bool = False
    width: int | None = None
    needs: list[str] = field(default_factory=list[str])

    @property
    def source(self) -> Source:
        return "loki" if self.shape == "logs" else "prometheus"

    @property
    def columns(self) -> int:
        return self.width or WIDTHS[self.shape]

    @property
    def height(self) -> int:
        """In rows of Grafana's grid."""
        return 4 if self.shape == "stat" else 8


@dataclass(frozen=True, kw_only=True)
class Board:
    """One dashboard.

    Args:
        uid: constant, part of its address: "atoll-gpus".
        rows: panels from left to right, each row as high as its highest panel.
    """

    uid: str
    title: str
    note: str
    rows: list[list[Panel]]
    span: str = "now-24h"
    needs: list[str] = field(default_factory=list[str])

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
            "panels": list(self._lay_out()),
        }

    def _lay_out(self) -> Iterator[dict[str, object]]:
        number, top = 0, 0
        for row in self.rows:
            if sum(panel.columns for panel in row) > COLUMNS:
                raise ValueError(f"{self.uid}: a row is wider than {COLUMNS} columns: {[each.title for each in row]}")
            left = 0
            for panel in row:
                number += 1
                yield _render_panel(panel, number, {"x": left, "y": top, "w": panel.columns, "h": panel.height})
                left += panel.columns
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
        "targets": [_target(panel)],
    }


def _target(panel: Panel) -> dict[str, object]:
    now = panel.shape == "bargauge"  # one bar per result, as of now
    found: dict[str, object] = {
        "refId": "A",
        "datasource": {"type": panel.source, "uid": panel.source},
        "expr": panel.expr,
        "instant": now,
        "range": not now,
    }
    if panel.legend:
        found["legendFormat"] = panel.legend
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
    "logs": {"showTime": True, "wrapLogMessage": True, "sortOrder": "Descending"},
}


@cache
def _read_boards() -> tuple[Board, ...]:
    return read_table("platform/dashboards.yaml", tuple[Board, ...])


def boards(facts: AlertFacts) -> tuple[Board, ...]:
    """The dashboards of a cluster: cluster, cost, GPUs, training, queues, storage, and the promise."""
    return tuple(_fit(board, facts) for board in _read_boards() if facts.has_all(board.needs))


def _fit(board: Board, facts: AlertFacts) -> Board:
    """A board with the panels of what is there."""
    rows = [[panel for panel in row if facts.has_all(panel.needs)] for row in board.rows]
    return replace(board, note=facts.fill(board.note), rows=[row for row in rows if row])
