"""Object stores in memory, and moves whose steps ask them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path
from typing import Any

from machine_scene import Clock, places

from components.agents.mover.manifest import ManifestRow, ManifestWriter
from components.agents.mover.rounds import RoundReport
from components.agents.mover.store.model import BucketEndpoint, Head, Listed, Pairs, StoreError
from operations.relocation.config.endpoints import Places
from operations.relocation.runner.step import Move

SECRETS = {
    "MOVER_KEY": "mover",
    "MOVER_SECRET": "a-very-secret-key",
    "CANARY_KEY": "canary",
    "CANARY_SECRET": "another-secret-key",
}


class DictMemory:
    def __init__(self) -> None:
        self.words: dict[str, object] = {}

    def remember(self, key: str, value: object) -> object:
        return self.words.setdefault(key, value)

    def recall(self, key: str) -> object | None:
        return self.words.get(key)


@dataclass
class Stores:
    """Buckets by endpoint and name, each with objects by key."""

    clock: Clock = field(default_factory=Clock)
    buckets: dict[tuple[str, str], dict[str, bytes]] = field(default_factory=dict)
    denied: set[tuple[str, str]] = field(default_factory=set)
    """What is refused: a bucket's name and an operation."""
    keeps_versions: set[str] = field(default_factory=set)
    gone: set[tuple[str, str]] = field(default_factory=set)
    """Keys that a listing still tells, and the operation that finds them deleted."""
    ahead: float = 0.0
    """Seconds that the stores' clocks are ahead."""

    def connect(self, place: BucketEndpoint) -> Any:
        return FakeStore(self, place)

    def source(self, name: str = "mlflow") -> dict[str, bytes]:
        return self.buckets.setdefault(("http://127.0.0.1:9000", name), {})

    def target(self, name: str = "mlflow") -> dict[str, bytes]:
        return self.buckets.setdefault(("http://127.0.0.1:9100", name), {})


class FakeBody:
    def __init__(self, head: Head, content: bytes) -> None:
        self.head, self._rest = head, content

    def read_into(self, buffer: memoryview) -> int:
        got, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(got)] = got
        return len(got)

    def close(self) -> None:
        self._rest = b""


def etag(content: bytes) -> str:
    return md5(content, usedforsecurity=False).hexdigest()


class FakeStore:
    def __init__(self, stores: Stores, place: BucketEndpoint) -> None:
        self.stores, self.place = stores, place

    def _bucket(self, what: str) -> dict[str, bytes]:
        if (self.place.bucket, what) in self.stores.denied:
            said = f"{what} of bucket {self.place.bucket}: AccessDenied (403)"
            raise StoreError(said, code="AccessDenied", status=403)
        found = self.stores.buckets.get((self.place.endpoint, self.place.bucket))
        if found is None:
            raise StoreError(f"{what} of bucket {self.place.bucket}: NoSuchBucket", code="NoSuchBucket", status=404)
        return found

    def _found(self, key: str, what: str) -> None:
        if (key, what) in self.stores.gone:
            at = self.stores.clock().timestamp() + self.stores.ahead
            raise StoreError(f"{what} of {key}: NoSuchKey", code="NoSuchKey", status=404, server_time=at)

    def list_objects(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        del after
        bucket = self._bucket("list")
        for key in sorted(bucket, key=str.encode):
            if key.startswith(prefix):
                yield Listed(key=key, size=len(bucket[key]), etag=etag(bucket[key]))

    list_versions = list_objects

    def head(self, key: str, *, version: str = "") -> Head:
        del version
        self._found(key, "head")
        content = self._bucket("get")[key]
        at = self.stores.clock().timestamp() + self.stores.ahead
        return Head(size=len(content), etag=etag(content), tag_count=0, server_time=at)

    def get_tags(self, key: str, *, version: str = "") -> Pairs:
        del version
        self._found(key, "tags")
        self._bucket("get")
        return ()

    def open(self, key: str, *, version: str = "", first: int = 0, last: int = -1, etag: str = "") -> FakeBody:
        del first, last, etag
        self._found(key, "open")
        return FakeBody(self.head(key, version=version), self._bucket("get")[key])

    def put(self, key: str, body: memoryview, **_more: object) -> Head:
        self._bucket("put")[key] = bytes(body)
        return Head(size=len(body), etag="")

    def delete(self, key: str, *, version: str = "") -> str:
        del version
        self._bucket("delete").pop(key, None)
        return ""

    def create_upload(self, key: str, **_more: object) -> str:
        self._bucket(f"put as {self.place.access_key}")
        return key

    def abort_upload(self, key: str, upload: str) -> None:
        del key, upload

    def exists(self) -> bool:
        return (self.place.endpoint, self.place.bucket) in self.stores.buckets

    def create(self) -> None:
        self.stores.buckets[self.place.endpoint, self.place.bucket] = {}

    def keep_versions(self) -> None:
        self.stores.keeps_versions.add(self.place.endpoint + self.place.bucket)

    def is_versioned(self) -> bool:
        self._bucket("list")
        return self.place.endpoint + self.place.bucket in self.stores.keeps_versions

    def close(self) -> None:
        pass


@dataclass
class World:
    """A move whose stores are in memory."""

    folder: Path
    stores: Stores = field(default_factory=Stores)
    places: Places = field(default_factory=places)
    memory: DictMemory = field(default_factory=DictMemory)
    said: list[str] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        return self.stores.clock

    @property
    def move(self) -> Move:
        return Move(
            places=self.places,
            folder=self.folder,
            secrets=SECRETS,
            memory=self.memory,
            say=self.said.append,
            now=self.clock,
        )

    def copy(
        self, source: BucketEndpoint, target: BucketEndpoint, *, folder: Path, options: Any, say: Any
    ) -> RoundReport:
        """What a mover does, as far as steps can tell."""
        del options, say
        here = self.stores.buckets[source.endpoint, source.bucket]
        there = self.stores.buckets[target.endpoint, target.bucket]
        new = {key: content for key, content in here.items() if there.get(key) != content}
        gone = [key for key in there if key not in here]
        there |= new
        for key in gone:
            del there[key]
        with ManifestWriter(folder / "source.manifest", bucket=source.bucket) as manifest:
            for key, content in here.items():
                manifest.add(ManifestRow(key=key, size=len(content), digest=digest(content), etag=etag(content)))
            manifest.close()
        size = sum(map(len, new.values()))
        return RoundReport(objects=len(new), size=size, deleted=len(gone), seconds=1.0)


def digest(content: bytes) -> str:
    from object_digest import of_bytes

    return of_bytes(content)
