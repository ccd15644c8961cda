"""A store in memory, for what is looked at and compared; nothing of it is written through the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import md5
from pathlib import Path
from typing import Any

from components.agents.mover.manifest import Manifest, ManifestRow
from components.agents.mover.store.model import BucketEndpoint, Head, Listed, Pairs, StoreError

PLACE = BucketEndpoint(endpoint="http://store.example", region="r", bucket="models", access_key="a", secret_key="s")


def rows(path: Path) -> list[ManifestRow]:
    return list(Manifest(path).read_rows())


@dataclass(frozen=True)
class Held:
    content: bytes = b""
    headers: Pairs = ()
    metadata: Pairs = ()
    tags: Pairs = ()
    deleted: bool = False
    version: str = ""

    @property
    def etag(self) -> str:
        return md5(self.content, usedforsecurity=False).hexdigest()


class MemoryBody:
    def __init__(self, head: Head, content: bytes) -> None:
        self.head, self._rest = head, content

    def read_into(self, buffer: memoryview) -> int:
        got, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(got)] = got
        return len(got)

    def close(self) -> None:
        self._rest = b""


@dataclass
class Bucket:
    """Versions by key, the latest first."""

    objects: dict[str, list[Held]] = field(default_factory=dict)
    counts_tags: bool = True
    opened: list[str] = field(default_factory=list)
    asked_for_tags: list[str] = field(default_factory=list)
    closed: int = 0

    def put(self, key: str, content: bytes = b"", **more: Any) -> None:
        held = Held(content=content, **more)
        self.objects.setdefault(key, []).insert(0, replace(held, version=f"v{len(self.objects.get(key, ()))}"))

    def connect(self, place: BucketEndpoint) -> Any:
        return MemoryStore(self, place)


class MemoryStore:
    def __init__(self, bucket: Bucket, place: BucketEndpoint) -> None:
        self.bucket, self.place = bucket, place

    def list_objects(self, *, prefix: str = "", after: str = "") -> Any:
        del prefix, after
        return (each for each in self.list_versions() if each.latest and not each.deleted)

    def list_versions(self, *, prefix: str = "", after: str = "") -> Any:
        del prefix, after
        for key in sorted(self.bucket.objects, key=lambda each: each.encode("utf-8", "surrogatepass")):
            for order, held in enumerate(self.bucket.objects[key]):
                yield Listed(
                    key=key,
                    size=len(held.content),
                    version=held.version,
                    latest=order == 0,
                    deleted=held.deleted,
                    etag=held.etag,
                )

    def _held(self, key: str, version: str) -> Held:
        found = [each for each in self.bucket.objects.get(key, ()) if version in {"", each.version}]
        if not found:
            raise StoreError(f"{key}: no such key", code="NoSuchKey", status=404)
        return found[0]

    def head(self, key: str, *, version: str = "") -> Head:
        held = self._held(key, version)
        count = len(held.tags) or None
        return Head(
            size=len(held.content),
            etag=held.etag,
            version=held.version,
            headers=held.headers,
            metadata=held.metadata,
            tag_count=count if self.bucket.counts_tags else None,
        )

    def get_tags(self, key: str, *, version: str = "") -> Pairs:
        self.bucket.asked_for_tags.append(key)
        return self._held(key, version).tags

    def open(self, key: str, *, version: str = "", first: int = 0, last: int = -1, etag: str = "") -> MemoryBody:
        del first, last
        self.bucket.opened.append(key)
        head = self.head(key, version=version)
        if etag and etag != head.etag:
            raise StoreError(f"{key}: no longer {etag}", code="PreconditionFailed", status=412)
        return MemoryBody(head, self._held(key, version).content)

    def close(self) -> None:
        self.bucket.closed += 1
