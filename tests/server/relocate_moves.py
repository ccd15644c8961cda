"""A relocation's step as a test runs it: its memory in a dictionary, and deaths at chosen moments."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fake_nodes import joined

from operations.relocation.runner.step import Move

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kube_client import KubeClient

    from operations.clouds.kubernetes.objects import ResourceKind
    from operations.relocation.cluster.client import RelocationCluster
    from operations.relocation.config.endpoints import Places


class Killed(BaseException):
    """Stands for SIGKILL: nothing catches it."""


@dataclass
class Remembered:
    words: dict[str, object] = field(default_factory=dict)

    def remember(self, key: str, value: object) -> object:
        return self.words.setdefault(key, value)

    def recall(self, key: str) -> object | None:
        return self.words.get(key)


@dataclass
class KilledWhenRemembering:
    """Dies after each new word is down, before what it was written for is done."""

    memory: Remembered

    def remember(self, key: str, value: object) -> object:
        if self.memory.recall(key) is None:
            self.memory.remember(key, value)
            raise Killed
        return self.memory.remember(key, value)

    def recall(self, key: str) -> object | None:
        return self.memory.recall(key)


@dataclass
class KilledOnce:
    """Dies after each change of a cluster, once."""

    died: set[str] = field(default_factory=set)

    def forget(self) -> None:
        self.died.clear()

    def around(self, cluster: RelocationCluster | None) -> RelocationCluster | None:
        return Dying(cluster, self.died) if cluster else None


@dataclass
class Dying:
    cluster: RelocationCluster
    died: set[str]

    def list_objects(self, kind: ResourceKind, *, namespace: str = "") -> Sequence[Mapping[str, object]]:
        return self.cluster.list_objects(kind, namespace=namespace)

    def get(self, kind: ResourceKind, *, namespace: str, name: str) -> Mapping[str, object] | None:
        return self.cluster.get(kind, namespace=namespace, name=name)

    def change(self, kind: ResourceKind, *, namespace: str, name: str, change: Mapping[str, object]) -> bool:
        done = self.cluster.change(kind, namespace=namespace, name=name, change=change)
        path = kind.path(namespace, name)
        if path not in self.died:
            self.died.add(path)
            raise Killed
        return done


def move_in(folder: Path, places: Places, secrets: Mapping[str, str]) -> Move:
    return Move(
        places=places,
        folder=folder,
        secrets=secrets,
        memory=Remembered(),
        say=lambda _: None,
        now=lambda: datetime.now(UTC),
    )


@contextlib.contextmanager
def cluster_of(kube: KubeClient) -> Iterator[None]:
    """A node on which pods of the commit become ready."""
    node: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "freeze-node", "labels": {"kubernetes.io/os": "linux"}},
        "status": {
            "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
            "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
    with joined(kube, [node], owner="relocate-freeze"):
        yield
