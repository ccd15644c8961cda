"""Two databases of one part: each is closed, tried and opened again by what is remembered of itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from relocation_looked_kit import places

from operations.relocation.config.endpoints import DatabasePlace, Places
from operations.relocation.databases.postgres_read_only import memory_key_of_database
from operations.relocation.runner.step import Move, StepError
from operations.relocation.writers import databases

if TYPE_CHECKING:
    from pathlib import Path

    from operations.relocation.writers.ports import QuiescePorts

TWICE = (
    DatabasePlace(part="pipelines", uri_env="MLPIPELINE_URI"),
    DatabasePlace(part="mlflow", uri_env="MLFLOW_URI"),
    DatabasePlace(part="pipelines", uri_env="METADB_URI"),
)


class Words:
    def __init__(self) -> None:
        self.kept: dict[str, object] = {}

    def remember(self, key: str, value: object) -> object:
        return self.kept.setdefault(key, value)

    def recall(self, key: str) -> object | None:
        return self.kept.get(key)


class TwoStates:
    """Databases by their addresses; what was before is remembered as the live ones do."""

    def __init__(self, *closed: str) -> None:
        self.closed = set(closed)

    def close(self, place: DatabasePlace, move: Move, *, side: str) -> dict[str, object]:
        move.memory.remember(memory_key_of_database(side, place), {"before": place.uri_env in self.closed})
        self.closed.add(place.uri_env)
        return {"part": place.part}

    def open_again(self, place: DatabasePlace, move: Move, *, side: str) -> dict[str, object]:
        kept = cast("dict[str, object]", move.memory.recall(memory_key_of_database(side, place)))
        if not kept["before"]:
            self.closed.discard(place.uri_env)
        return {"part": place.part}

    def try_to_write(self, place: DatabasePlace, move: Move) -> str:
        assert move
        return "read-only" if place.uri_env in self.closed else "written"

    def is_closed(self, place: DatabasePlace, move: Move) -> bool:
        assert move
        return place.uri_env in self.closed


def scene(tmp_path: Path, states: TwoStates) -> tuple[Move, QuiescePorts]:
    one = places("mlflow")
    named: Places = one.model_copy(update={"source": one.source.model_copy(update={"databases": TWICE})})
    move = Move(
        places=named,
        folder=tmp_path,
        secrets={},
        memory=Words(),
        say=lambda _: None,
        now=lambda: pytest.fail("no clock"),
    )
    return move, cast("QuiescePorts", SimpleNamespace(databases=states))


def test_each_is_remembered_by_itself_and_gets_back_what_it_had(tmp_path: Path) -> None:
    states = TwoStates("METADB_URI")
    move, hands = scene(tmp_path, states)
    databases.see_that_databases_write(move, hands)
    databases.close(move, hands, side="source")
    assert databases.prove_closed(move, hands, side="source") == {
        "pipelines": "read-only",
        "mlflow": "read-only",
        "pipelines-2": "read-only",
    }
    databases.open_again(move, hands, side="source")
    assert states.closed == {"METADB_URI"}
    assert databases.write_again(move, hands, side="source") == {
        "pipelines": "written",
        "mlflow": "written",
        "pipelines-2": "read-only",
    }


def test_the_second_that_still_takes_writes_is_named(tmp_path: Path) -> None:
    states = TwoStates()
    move, hands = scene(tmp_path, states)
    databases.close(move, hands, side="source")
    states.closed.discard("METADB_URI")
    with pytest.raises(StepError, match="the database of pipelines-2 at the source is not read-only"):
        databases.prove_closed(move, hands, side="source")


def test_no_two_databases_share_a_key() -> None:
    assert len({memory_key_of_database("source", each) for each in TWICE}) == len(TWICE)
