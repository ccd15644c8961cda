"""Stores in memory, with versions, uploads in parts and faults when a test wants them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

from components.agents.mover.store.model import BucketEndpoint, Head, Listed, Pairs, StoreError

Fault = Callable[[str, str], None]  # (verb, key)
CLOCK = itertools.count(1_000)
IDS = itertools.count(1)


def place(name: str) -> BucketEndpoint:
    return BucketEndpoint(endpoint=f"http://{name}", region="r", bucket="bucket", access_key="a", secret_key="s")


@dataclass
class Version:
    listed: Listed
    content: bytes = b""
    like: Head = field(default_factory=lambda: Head(size=0, etag=""))
    tags: Pairs = ()


@dataclass
class Bucket:
    """What lies in a bucket: versions of each key, oldest first."""

    keeps: bool = False
    counts: bool = True
    objects: dict[str, list[Version]] = field(default_factory=dict)
    uploads: dict[str, tuple[str, dict[int, bytes], Head, Pairs]] = field(default_factory=dict)
    fault: Fault = lambda _verb, _key: None
    puts: list[str] = field(default_factory=list)

    def write(self, key: str, content: bytes, *, like: Head | None = None, tags: Pairs = ()) -> Version:
        stamp = next(CLOCK)
        version = f"v{stamp}" if self.keeps else ""
        etag = sha256(content).hexdigest()[:8]
        listed = Listed(key=key, size=len(content), version=version, etag=etag, modified=float(stamp))
        self._add(Version(listed, content, like or Head(size=0, etag=""), tags))
        return self.objects[key][-1]

    def _add(self, found: Version) -> None:
        before = self.objects.get(found.listed.key, [])
        older = [replace_latest(each) for each in before] if self.keeps else []
        self.objects[found.listed.key] = [*older, found]

    def remove(self, key: str, version: str = "") -> str:
        if version:
            rest = [each for each in self.objects.get(key, []) if each.listed.version != version]
            self.objects[key] = rest
            if not rest:
                del self.objects[key]
            return version
        if not self.keeps:
            self.objects.pop(key, None)
            return ""
        stamp = next(CLOCK)
        self._add(Version(Listed(key=key, size=0, version=f"v{stamp}", deleted=True, modified=float(stamp))))
        return f"v{stamp}"

    def plain(self) -> dict[str, bytes]:
        return {key: found[-1].content for key, found in self.objects.items() if not found[-1].listed.deleted}

    def history(self) -> dict[str, list[bytes | None]]:
        return {
            key: [None if each.listed.deleted else each.content for each in found]
            for key, found in self.objects.items()
        }


def replace_latest(version: Version) -> Version:
    return replace(version, listed=replace(version.listed, latest=False))


class MemoryStores:
    """Two buckets that are reached like those on the wire."""

    def __init__(self) -> None:
        self.buckets: dict[str, Bucket] = {"http://source": Bucket(), "http://target": Bucket()}

    @property
    def source(self) -> Bucket:
        return self.buckets["http://source"]

    @property
    def target(self) -> Bucket:
        return self.buckets["http://target"]

    def connect(self, at: BucketEndpoint) -> MemoryStore:
        return MemoryStore(at, self.buckets[at.endpoint])


LOCK = threading.RLock()


class MemoryStore:
    def __init__(self, at: BucketEndpoint, bucket: Bucket) -> None:
        self.place = at
        self.lost = 0
        self._bucket = bucket

    def _begin(self, verb: str, key: str = "") -> None:
        self._bucket.fault(verb, key)

    def _find(self, key: str, version: str) -> Version:
        found = self._bucket.objects.get(key, [])
        named = [each for each in found if each.listed.version == version] if version else found[-1:]
        if not named or named[0].listed.deleted:
            raise StoreError(f"no {key}", code="NoSuchKey", status=404)
        return named[0]

    def list_objects(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        self._begin("list")
        for key in sorted(self._bucket.objects):
            if key.startswith(prefix) and key > after and not self._bucket.objects[key][-1].listed.deleted:
                yield replace(self._bucket.objects[key][-1].listed, version="")

    def list_versions(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        self._begin("list")
        for key in sorted(self._bucket.objects):
            if key.startswith(prefix) and key > after:
                yield from [each.listed for each in reversed(self._bucket.objects[key])]

    def head(self, key: str, *, version: str = "") -> Head:
        self._begin("head", key)
        return self._head(self._find(key, version))

    def _head(self, found: Version) -> Head:
        size, count = len(found.content), len(found.tags) if self._bucket.counts else None
        return replace(
            found.like, size=size, etag=found.listed.etag, tag_count=count, server_time=found.listed.modified
        )

    def get_tags(self, key: str, *, version: str = "") -> Pairs:
        self._begin("tags", key)
        return self._find(key, version).tags

    def set_tags(self, key: str, tags: Pairs, *, version: str = "") -> None:
        self._begin("set_tags", key)
        self._find(key, version).tags = tags

    def open(self, key: str, *, version: str = "", first: int = 0, last: int = -1, etag: str = "") -> Any:
        self._begin("get", key)
        found = self._find(key, version)
        if etag and found.listed.etag != etag:
            raise StoreError("it changed", code="PreconditionFailed", status=412)
        end = len(found.content) if last < 0 else last + 1
        left = [memoryview(found.content)[first:end]]

        def read_into(buffer: memoryview) -> int:
            count = min(len(buffer), len(left[0]))
            buffer[:count] = left[0][:count]
            left[0] = left[0][count:]
            return count

        return SimpleNamespace(head=self._head(found), read_into=read_into, close=lambda: None)

    def put(self, key: str, body: memoryview, *, sha256: str, like: Head, tags: Pairs = ()) -> Head:
        self._begin("put", key)
        return self._write(key, bytes(body), sha256, like, tags)

    def _write(self, key: str, content: bytes, digest: str, like: Head, tags: Pairs) -> Head:
        assert sha256(content).hexdigest() == digest
        with LOCK:
            self._bucket.puts.append(key)
            found = self._bucket.write(key, content, like=like, tags=tags)
        stamp = found.listed.modified
        return Head(size=len(content), etag=found.listed.etag, version=found.listed.version, server_time=stamp)

    def create_upload(self, key: str, *, like: Head, tags: Pairs = ()) -> str:
        self._begin("begin", key)
        upload = f"u{next(IDS)}"
        self._bucket.uploads[upload] = (key, {}, like, tags)
        return upload

    def upload_part(self, key: str, upload: str, number: int, body: memoryview, *, sha256: str) -> str:
        self._begin("part", key)
        with LOCK:
            self._bucket.uploads[upload][1][number] = bytes(body)
        return sha256[:4]

    def complete_upload(self, key: str, upload: str, etags: Sequence[str]) -> Head:
        self._begin("finish", key)
        _, parts, like, tags = self._bucket.uploads.pop(upload)
        content = b"".join(parts[number] for number in range(1, len(etags) + 1))
        return self._write(key, content, sha256(content).hexdigest(), like, tags)

    def abort_upload(self, key: str, upload: str) -> None:
        self._begin("abandon", key)
        self._bucket.uploads.pop(upload, None)

    def list_uploads(self, key: str) -> tuple[str, ...]:
        return tuple(upload for upload, (owner, *_) in self._bucket.uploads.items() if owner == key)

    def delete(self, key: str, *, version: str = "") -> str:
        self._begin("delete", key)
        with LOCK:
            return self._bucket.remove(key, version)

    def is_versioned(self) -> bool:
        return self._bucket.keeps

    def close(self) -> None:
        """Nothing is open."""
