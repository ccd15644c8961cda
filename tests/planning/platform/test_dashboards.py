from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest
from rule_samples import bare, facts, list_exported_metrics, metrics

from planning.platform.alerts.model import RecordingRule
from planning.platform.alerts.rulebook import rule_groups
from planning.platform.dashboards import Board, Panel, boards

BOARDS = boards(facts())
COLUMNS = 24


def drawn(board: Board) -> list[Any]:
    panels = board.as_json()["panels"]
    assert isinstance(panels, list)
    return panels


def test_there_is_one_for_each_thing_to_look_at() -> None:
    assert [board.uid for board in BOARDS] == [
        "atoll-cluster",
        "atoll-cost",
        "atoll-gpus",
        "atoll-training",
        "atoll-queues",
        "atoll-storage",
        "atoll-slo",
    ]
    assert [board.uid for board in boards(bare())] == ["atoll-cluster", "atoll-cost", "atoll-storage"]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_panels_have_numbers_of_their_own_and_do_not_overlap(board: Board) -> None:
    panels = drawn(board)
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x, y in itertools.product(
            range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        )
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < COLUMNS


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_every_panel_asks_a_source_that_is_there(board: Board) -> None:
    for panel in drawn(board):
        assert panel["datasource"]["uid"] in {"prometheus", "loki"}
        assert panel["targets"]
        letters = [target["refId"] for target in panel["targets"]]
        assert len(set(letters)) == len(letters)
        assert all(target["expr"] and target["instant"] is not target["range"] for target in panel["targets"])


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_every_metric_is_exported_or_recorded(board: Board) -> None:
    recorded = {rule.name for group in rule_groups(facts()) for rule in group.rules if isinstance(rule, RecordingRule)}
    for panel in board.panels:
        if panel.source == "prometheus":
            assert metrics(panel.expr) <= list_exported_metrics() | recorded, panel.title


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_a_board_survives_json_and_says_what_it_is_for(board: Board) -> None:
    written = json.loads(json.dumps(board.as_json()))
    assert written["uid"] == board.uid
    assert re.fullmatch(r"[a-z-]{1,40}", board.uid)
    assert written["description"]
    assert written["panels"]


def test_no_panel_needs_what_is_not_installed() -> None:
    without = boards(facts(parts=frozenset({"kueue"})))
    assert all(panel.source == "prometheus" for board in without for panel in board.panels)
    assert not any("minio" in panel.expr for board in without for panel in board.panels)


def test_a_row_that_is_too_wide_is_refused() -> None:
    wide: list[Panel] = [Panel(title=f"panel {number}", expr="up") for number in range(3)]
    with pytest.raises(ValueError, match="wider than 24"):
        Board(uid="atoll-wide", title="Wide", note="Too much.", rows=[wide]).as_json()
