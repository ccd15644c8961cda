"""A store in memory that is only listed and asked for heads, and the places that name it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from components.agents.mover.store.model import BucketEndpoint, Head, Listed, Pairs, StoreError
from operations.relocation.config.endpoints import Places


@dataclass
class Kept:
    size: int
    headers: Pairs = (("content-type", "text/plain"),)
    metadata: Pairs = ()
    tags: Pairs = ()


@dataclass
class LookedStore:
    place: BucketEndpoint
    buckets: dict[str, dict[str, Kept]]
    asked: list[str] = field(default_factory=list)
    keeps_versions: bool = False

    def _bucket(self) -> dict[str, Kept]:
        if self.place.bucket not in self.buckets:
            raise StoreError(f"list of bucket {self.place.bucket}: NoSuchBucket", code="NoSuchBucket", status=404)
        return self.buckets[self.place.bucket]

    def is_versioned(self) -> bool:
        self._bucket()
        return self.keeps_versions

    def list_objects(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        assert not prefix + after
        for key, kept in sorted(self._bucket().items()):
            yield Listed(key=key, size=kept.size, etag=key)

    def list_versions(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        for each in self.list_objects(prefix=prefix, after=after):
            yield each
            yield Listed(key=each.key, size=7, etag=each.key, latest=False, version="old")

    def head(self, key: str, *, version: str = "") -> Head:
        self.asked.append(key)
        kept = self._bucket()[key]
        size = 7 if version else kept.size
        return Head(size=size, etag=key, headers=kept.headers, metadata=kept.metadata, tag_count=len(kept.tags))

    def get_tags(self, key: str, *, version: str = "") -> Pairs:
        del version
        return self._bucket()[key].tags

    def close(self) -> None:
        self.asked.append("closed")


@dataclass
class Looked:
    """Every store of a test."""

    buckets: dict[str, dict[str, Kept]] = field(default_factory=dict)
    keeps_versions: bool = False
    asked: list[str] = field(default_factory=list)

    def connect(self, place: BucketEndpoint) -> Any:
        return LookedStore(place, self.buckets, self.asked, self.keeps_versions)


def places(*buckets: str, source: str = "atlas", target: str = "atlas-west", **changed: object) -> Places:
    def side(stack: str, word: str, port: int) -> dict[str, object]:
        def keys(who: str) -> dict[str, str]:
            return {"access_key_env": f"{word}{who}_KEY", "secret_key_env": f"{word}{who}_SECRET"}

        store: dict[str, object] = {"kind": "minio", "endpoint": f"http://127.0.0.1:{port}", "mover": keys("")}
        return {"stack": stack, "store": store | {"canary": keys("_CANARY"), "admin": keys("_ADMIN")}}

    moves = [{"source": each, "target": each} | changed for each in buckets]
    form = {"source": side(source, "SOURCE", 9000), "target": side(target, "TARGET", 9001), "buckets": moves}
    return Places.model_validate(form)


KEYS = {"SOURCE_KEY": "mover", "SOURCE_SECRET": "a-very-secret-key"}
