"""A small world that a relocation changes, and processes that are killed while they change it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from operations.project.journal import read_journal
from operations.relocation.config.endpoints import Places
from operations.relocation.runner.step import Evidence, Move, RelocationStep, RunContext

NAMES: Final = ("seed", "freeze", "final_delta", "dns", "commit")
BEFORE: Final = {"replicas": 3, "names": "source", "open": "source"}
START: Final = datetime(2026, 11, 22, 8, tzinfo=UTC)


def places(**changed: object) -> Places:
    store = {
        "kind": "minio",
        "endpoint": "http://127.0.0.1:9000",
        "mover": {"access_key_env": "MOVER_KEY", "secret_key_env": "MOVER_SECRET"},
        "canary": {"access_key_env": "CANARY_KEY", "secret_key_env": "CANARY_SECRET"},
    }
    form: dict[str, object] = {
        "source": {"stack": "old", "store": store},
        "target": {"stack": "new", "store": {**store, "endpoint": "http://127.0.0.1:9100"}},
        "buckets": [{"source": "mlflow", "target": "mlflow"}],
    }
    return Places.model_validate(form | changed)


def nothing() -> None:
    """Nothing comes of it: no kill is wanted."""


@dataclass
class Clock:
    """A clock that stands still until it is moved on."""

    at: datetime = START

    def __call__(self) -> datetime:
        return self.at

    def wait(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@dataclass
class RealClock:
    """The time of day, moved on."""

    ahead: timedelta = field(default_factory=timedelta)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class Scene:
    """The world in a folder: what was copied, and what the source's writers and names are."""

    folder: Path
    clock: Callable[[], datetime] = field(default_factory=Clock)
    said: list[str] = field(default_factory=list[str])
    places: Places = field(default_factory=places)
    point: Callable[[], None] = nothing
    """Called before and after everything that is changed: where a kill may come."""

    @property
    def moves(self) -> Path:
        return self.folder / "old--new"

    @property
    def journal(self) -> Path:
        return self.moves / "journal.jsonl"

    @property
    def parts(self) -> RunContext:
        secrets = {"MOVER_SECRET": "a-very-secret-key"}
        return RunContext(places=self.places, folder=self.moves, secrets=secrets, say=self.said.append, now=self.clock)

    @property
    def world(self) -> dict[str, object]:
        file = self.folder / "world.json"
        return json.loads(file.read_text()) if file.exists() else dict(BEFORE)

    def change(self, **changed: object) -> None:
        self.point()
        beside = self.folder / "world.new"
        beside.write_text(json.dumps(self.world | changed))
        beside.replace(self.folder / "world.json")
        self.point()

    def kinds(self) -> list[str]:
        return [f"{each.kind} {each.step}".strip() for each in read_journal(self.journal).records]


def copy(scene: Scene, name: str, _move: Move) -> Evidence:
    copied = scene.world.get(name, 0)
    assert isinstance(copied, int)
    if not copied:  # a mover's ledger: what was copied is not copied again
        scene.change(**{name: copied + 1})
    return {"objects": 1}


def freeze(scene: Scene, move: Move) -> Evidence:
    move.memory.remember("replicas", scene.world["replicas"])
    scene.point()
    scene.change(replicas=0)
    return {"writers": 1}


def thaw(scene: Scene, move: Move) -> Evidence:
    before = move.memory.recall("replicas")
    if before is not None:
        scene.change(replicas=before)
    return {}


def switch(scene: Scene, move: Move) -> Evidence:
    move.memory.remember("names", scene.world["names"])
    scene.change(names="target")
    return {}


def switch_back(scene: Scene, move: Move) -> Evidence:
    before = move.memory.recall("names")
    if before is not None:
        scene.change(names=before)
    return {}


def commit(scene: Scene, _move: Move) -> Evidence:
    scene.change(open="target")
    return {}


def steps(scene: Scene, **changed: Callable[[Move], Evidence]) -> tuple[RelocationStep, ...]:
    do: dict[str, Callable[[Move], Evidence]] = {name: partial(copy, scene, name) for name in NAMES}
    do |= {"freeze": partial(freeze, scene), "dns": partial(switch, scene), "commit": partial(commit, scene)} | changed
    undo = {"freeze": partial(thaw, scene), "dns": partial(switch_back, scene)}
    return tuple(RelocationStep(name=name, do=do[name], undo=undo.get(name)) for name in NAMES)
