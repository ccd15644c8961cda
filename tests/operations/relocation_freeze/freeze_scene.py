"""A cluster, a store and databases in memory, whose writers are stopped as real ones are."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from components.agents.mover.store.model import Head, StoreError
from operations.clouds.kubernetes.objects import ChangedMeanwhileError
from operations.relocation.config.endpoints import Places
from operations.relocation.databases.postgres_read_only import memory_key_of_database
from operations.relocation.runner.step import Move
from operations.relocation.writers.ports import QuiescePorts
from operations.relocation.writers.suspension import Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from components.agents.mover.store.model import BucketEndpoint, Listed
    from operations.clouds.kubernetes.objects import ResourceKind
    from operations.relocation.config.endpoints import DatabasePlace, StorePlace

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
TEAM = "work-team"
Key = tuple[str, str, str]


@dataclass
class Remembered:
    words: dict[str, object] = field(default_factory=dict)

    def remember(self, key: str, value: object) -> object:
        return self.words.setdefault(key, copy.deepcopy(value))

    def recall(self, key: str) -> object | None:
        return self.words.get(key)


@dataclass
class Clock:
    """Sleeping takes no time here, and the time passes nevertheless."""

    seconds: float = 0.0

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def patience(self, seconds: float = 10.0) -> Patience:
        return Patience(seconds=seconds, pause=1.0, sleep=self.sleep, clock=lambda: self.seconds)


@dataclass
class FakeCluster:
    """Objects by plural, namespace and name; a merge patch as the server applies one."""

    objects: dict[Key, dict[str, Any]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    conflicts: int = 0
    after_change: Callable[[Key], None] = lambda _: None

    def have(self, plural: str, name: str, namespace: str = "", **content: Any) -> dict[str, Any]:
        made: dict[str, Any] = {
            "metadata": {"name": name, "uid": f"{plural}-{name}", "resourceVersion": "1"},
            **content,
        }
        made["metadata"] |= {"namespace": namespace} if namespace else {}
        self.objects[plural, namespace, name] = made
        return made

    def list_objects(self, kind: ResourceKind, *, namespace: str = "") -> Sequence[Mapping[str, object]]:
        return [
            copy.deepcopy(found)
            for (plural, space, _), found in self.objects.items()
            if plural == kind.plural and namespace in {"", space}
        ]

    def get(self, kind: ResourceKind, *, namespace: str, name: str) -> Mapping[str, object] | None:
        return copy.deepcopy(self.objects.get((kind.plural, namespace, name)))

    def change(self, kind: ResourceKind, *, namespace: str, name: str, change: Mapping[str, object]) -> bool:
        key = (kind.plural, namespace, name)
        found = self.objects.get(key)
        if found is None:
            return False
        wanted = cast("dict[str, Any]", change)["metadata"].get("resourceVersion")
        if self.conflicts or wanted != found["metadata"]["resourceVersion"]:
            self.conflicts -= 1
            raise ChangedMeanwhileError(name)
        merge(found, change)
        found["metadata"]["resourceVersion"] = str(int(found["metadata"]["resourceVersion"]) + 1)
        self.log.append(f"{kind.plural} {name}")
        self.after_change(key)
        return True

    def said(self) -> dict[Key, object]:
        """Everything but what the server counts."""
        found = copy.deepcopy(self.objects)
        for each in found.values():
            each["metadata"].pop("resourceVersion")
            if not each["metadata"].get("annotations", True):
                each["metadata"].pop("annotations")
        return dict(found)


def merge(found: dict[str, Any], change: Mapping[str, object]) -> None:
    for name, value in change.items():
        if isinstance(value, dict):
            merge(found.setdefault(name, {}), cast("dict[str, object]", value))
        elif value is None:
            found.pop(name, None)
        else:
            found[name] = value


@dataclass
class FakeStore:
    """A bucket that is open or shut; `says` is what it answers who may not write."""

    place: BucketEndpoint
    doors: dict[str, bool]
    written: list[str]
    says: str = "AccessDenied"

    def _enter(self) -> None:
        if not self.doors.get(f"{self.place.access_key} {self.place.bucket}", True):
            raise StoreError("no", code=self.says, status=403)

    def close(self) -> None: ...

    def create_upload(self, key: str, *, like: Head, tags: object = ()) -> str:
        assert like
        assert not tags
        self._enter()
        self.written.append(key)
        return "upload"

    def abort_upload(self, key: str, upload: str) -> None:
        assert upload
        self.written.remove(key)

    def put(self, key: str, body: memoryview, *, sha256: str, like: Head, tags: object = ()) -> Head:
        assert sha256
        assert like
        assert not tags
        self._enter()
        self.written.append(key)
        return Head(size=len(body), etag="", version="v1")

    def delete(self, key: str, *, version: str = "") -> None:
        self._enter()
        if version and key in self.written:
            self.written.remove(key)

    def list_objects(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        assert prefix
        assert not after
        return iter(())

    list_versions = list_objects


@dataclass
class FakeStoreHands:
    """Shuts the doors of everybody but the mover, unless somebody is not bound."""

    doors: dict[str, bool]
    unbound: str = ""
    settle_seconds: float = 0.0

    def close(self, place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> dict[str, object]:
        assert place
        for bucket in buckets:
            for user in {"canary", "user"} - {self.unbound}:
                move.memory.remember(f"freeze/{side}/store/{user}/{bucket}", value=True)
                self.doors[f"{user} {bucket}"] = False
        return {"users": 2}

    def open_again(self, place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> dict[str, object]:
        assert place
        assert move
        assert side
        for bucket in buckets:
            for user in ("canary", "user"):
                self.doors[f"{user} {bucket}"] = True
        return {"users": 2}


@dataclass
class FakeDatabases:
    closed: set[str] = field(default_factory=set)
    answers: dict[str, str] = field(default_factory=dict)

    def close(self, place: DatabasePlace, move: Move, *, side: str) -> dict[str, object]:
        move.memory.remember(memory_key_of_database(side, place), {"before": place.uri_env in self.closed})
        self.closed.add(place.uri_env)
        return {"part": place.part}

    def open_again(self, place: DatabasePlace, move: Move, *, side: str) -> dict[str, object]:
        kept = cast("dict[str, object] | None", move.memory.recall(memory_key_of_database(side, place)))
        if kept is not None and not kept["before"]:
            self.closed.discard(place.uri_env)
        return {"part": place.part} if kept else {}

    def try_to_write(self, place: DatabasePlace, move: Move) -> str:
        assert move
        return self.answers.get(place.uri_env, "read-only" if place.uri_env in self.closed else "written")

    def is_closed(self, place: DatabasePlace, move: Move) -> bool:
        assert move
        return place.uri_env in self.closed


@dataclass
class Scene:
    """Two sides."""

    folder: Path
    source: FakeCluster = field(default_factory=FakeCluster)
    target: FakeCluster = field(default_factory=FakeCluster)
    doors: dict[str, bool] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    databases: FakeDatabases = field(default_factory=FakeDatabases)
    clock: Clock = field(default_factory=Clock)
    memory: Remembered = field(default_factory=Remembered)
    said: list[str] = field(default_factory=list)
    changes: dict[str, Any] = field(default_factory=dict)
    says: str = "AccessDenied"
    unbound: str = ""

    @property
    def move(self) -> Move:
        return Move(
            places=places(self.changes),
            folder=self.folder,
            secrets={name: name.lower() for name in ("CANARY", "MOVER", "ADMIN", "SECRET", "KUBECONFIG")},
            memory=self.memory,
            say=self.said.append,
            now=lambda: NOW + timedelta(seconds=self.clock.seconds),
        )

    @property
    def hands(self) -> QuiescePorts:
        stopper = FakeStoreHands(self.doors, unbound=self.unbound)
        return QuiescePorts(
            cluster=lambda side, _, words: getattr(self, words) if side.kubeconfig_env else None,
            stores={"minio": stopper, "aws": stopper},
            databases=self.databases,
            connect=lambda place: cast("Any", FakeStore(place, self.doors, self.written, self.says)),
            patience=self.clock.patience(),
        )


def side(stack: str) -> dict[str, Any]:
    keys = {name: {"access_key_env": name.upper(), "secret_key_env": "SECRET"} for name in ("mover", "canary", "admin")}
    return {
        "stack": stack,
        "store": {"kind": "minio", "endpoint": "https://store.example", **keys},
        "kubeconfig_env": "KUBECONFIG",
        "databases": [{"part": "mlflow", "uri_env": f"{stack.upper()}_URI"}],
    }


def places(changes: Mapping[str, Any]) -> Places:
    """A relocation.yaml, with fields that a test sets."""
    form: dict[str, Any] = {
        "source": side("old"),
        "target": side("new"),
        "buckets": [{"source": "mlflow", "target": "mlflow-2"}],
    }
    for path, value in changes.items():
        *parents, last = path.split("/")
        found = form
        for each in parents:
            found = found[each]
        found[last] = value
    return Places.model_validate(form)


def with_team(cluster: FakeCluster) -> FakeCluster:
    labels = {"app.kubernetes.io/part-of": "kubeflow-profile"}
    cluster.have("namespaces", TEAM)["metadata"]["labels"] = labels
    return cluster


def killing(scene: Scene, memory: object) -> Move:
    return replace(scene.move, memory=cast("Any", memory))
