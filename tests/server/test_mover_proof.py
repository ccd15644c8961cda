"""Manifests and the proof against real stores: what differs is found and named, what does not is proven."""

from __future__ import annotations

import os
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from control_plane import WITHOUT_GO
from store_server import build_store

from components.agents.mover.compare import ComparisonTerms, ManifestComparison, compare
from components.agents.mover.manifest import Manifest
from components.agents.mover.scan import Sample, ScanRequest, ScanResult, write_manifest
from components.agents.mover.store.model import BLOCK, BucketEndpoint, Head, StoreError
from components.agents.mover.store.s3_client import S3Store, connect
from operations.relocation.rehearsal.servers import MOVER, store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.agents.mover.store.model import Listed

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

LEFT, RIGHT, LARGE, MEDDLED = "left", "right", "large", "meddled"
LONG = "/".join(letter * 204 for letter in "klmn") + "/" + "é" * 102  # 1,024 bytes, as folders that MinIO can make
ODD = ("a b", " leading", "モデル/🤖", "new\nline", "tab\there", "plus+%2F&=?#", "'quoted\"", "<xml>&amp;", LONG)
HEADERS = (("cache-control", "no-store"), ("content-type", "text/x-part"))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, BucketEndpoint]]:
    code = build_store()
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("MinIO is built with Go, and there is no `go` on PATH")
    assert code == 0
    buckets = (LEFT, RIGHT, LARGE, MEDDLED)
    with store(tmp_path_factory.mktemp("proof") / "store", buckets=buckets, writers={}) as found:
        yield {name: found.place(name, user=MOVER) for name in buckets}


def put(
    place: BucketEndpoint, key: str, content: bytes, *, tags: Any = (), metadata: Any = (), headers: Any = HEADERS
) -> None:
    with closing(connect(place)) as found:
        head = Head(size=len(content), etag="", headers=headers, metadata=metadata)
        found.put(key, memoryview(content), sha256=sha256(content).hexdigest(), like=head, tags=tags)


def put_odd(place: BucketEndpoint, key: str) -> None:
    put(place, key, f"content of {key}".encode(), tags=(("key", "of a team"),), metadata=(("step", "7"),))


def fill(place: BucketEndpoint) -> None:
    for key in ODD:
        put_odd(place, key)
    put(place, "folder/", b"")
    put(place, "zero", b"")
    put(place, "plain", b"12345")
    in_parts(place, "parts")


def in_parts(place: BucketEndpoint, key: str) -> None:
    """As another program would upload it: parts of a size of its own."""
    content = bytes(range(256)) * (11 * 2**20 // 256)
    with closing(connect(place)) as found:
        upload = found.create_upload(key, like=Head(size=len(content), etag="", headers=HEADERS), tags=())
        size = (6 if place.bucket == LEFT else 11) * 2**20
        etags = []
        for number, at in enumerate(range(0, len(content), size), 1):
            part = content[at : at + size]
            etags.append(found.upload_part(key, upload, number, memoryview(part), sha256=sha256(part).hexdigest()))
        found.complete_upload(key, upload, etags)


@pytest.fixture(scope="module")
def filled(places: dict[str, BucketEndpoint]) -> dict[str, BucketEndpoint]:
    for name in (LEFT, RIGHT):
        fill(places[name])
    return places


def looked(place: BucketEndpoint, folder: Path, **more: Any) -> tuple[Path, ScanResult]:
    path = folder / f"{place.bucket}.manifest.gz"
    return path, write_manifest(connect, ScanRequest(place=place, counts_tags=True, **more), path, facts={})


def compared(
    places: dict[str, BucketEndpoint], folder: Path, *, sample: Sample | None = None, **more: Any
) -> ManifestComparison:
    sample = sample or Sample()
    paths = [looked(places[name], folder, sample=sample, **more)[0] for name in (LEFT, RIGHT)]
    return compare(*paths, ComparisonTerms(sample=sample))


def test_odd_keys_and_other_parts_are_proven_equal_though_their_etags_differ(
    filled: dict[str, BucketEndpoint], tmp_path: Path
) -> None:
    found = compared(filled, tmp_path)
    assert found.proven
    size = 11 * 2**20 + 5 + sum(len(f"content of {key}".encode()) for key in ODD)
    assert found.sentence == f"13 objects, {size:,} bytes, 0 missing, 0 extra, 0 different"
    held = list(Manifest(tmp_path / f"{LEFT}.manifest.gz").read_rows())
    assert (len(held), sum(bool(each.tags) for each in held), sum(bool(each.metadata) for each in held)) == (13, 9, 9)
    assert max(held, key=lambda each: each.size).key == "parts"
    assert max(len(each.key.encode()) for each in held) == 1024


@pytest.mark.parametrize(
    ("change", "aspects"),
    [
        ({"content": b"12344"}, ("bytes",)),  # one bit
        ({"content": b"123456"}, ("bytes", "size")),
        ({"tags": (("new", "tag"),)}, ("tags",)),
        ({"metadata": (("step", "8"),)}, ("metadata",)),
        ({"headers": (("content-type", "text/plain"),)}, ("headers:cache-control", "headers:content-type")),
    ],
)
def test_what_differs_at_the_target_is_named(
    filled: dict[str, BucketEndpoint], tmp_path: Path, change: dict[str, Any], aspects: tuple[str, ...]
) -> None:
    put(filled[RIGHT], "plain", **{"content": b"12345", **change})
    try:
        found = compared(filled, tmp_path)
    finally:
        put(filled[RIGHT], "plain", b"12345")
    assert [(each.key, sorted(each.aspects)) for each in found.different.first] == [("plain", sorted(aspects))]
    assert found.sentence.endswith("0 missing, 0 extra, 1 different")
    assert compared(filled, tmp_path).proven


def test_missing_and_extra_are_named(filled: dict[str, BucketEndpoint], tmp_path: Path) -> None:
    put(filled[RIGHT], "zzz more", b"x")
    with closing(connect(filled[RIGHT])) as right:
        right.delete("モデル/🤖")
        try:
            found = compared(filled, tmp_path)
        finally:
            right.delete("zzz more")
            key = "モデル/🤖"
            put(
                filled[RIGHT],
                key,
                f"content of {key}".encode(),
                tags=(("key", "of a team"),),
                metadata=(("step", "7"),),
            )
    assert [each.key for each in found.missing.first] == ["モデル/🤖"]
    assert [each.key for each in found.extra.first] == ["zzz more"]


def test_versions_and_delete_markers_are_compared_where_asked(
    filled: dict[str, BucketEndpoint], tmp_path: Path
) -> None:
    key = "versioned"
    for name in (LEFT, RIGHT):
        put(filled[name], key, b"first")
        put(filled[name], key, b"second" if name == LEFT else b"sicond")
        put(filled[name], key, b"third")
        with closing(connect(filled[name])) as found:
            found.delete(key)
    assert compared(filled, tmp_path).proven
    found = compared(filled, tmp_path, versions=True)
    at = {each.order: each.aspects for each in found.different.first if each.key == key}
    assert at == {2: ("bytes",)}


def test_a_sample_finds_what_it_drew_and_says_how_much_it_read(
    filled: dict[str, BucketEndpoint], tmp_path: Path
) -> None:
    sample = Sample(percent=50, seed="a seed")
    found = compared(filled, tmp_path, sample=sample)
    assert found.proven
    drawn = sum(sample.reads(key, 1) for key in (*ODD, "plain", "parts")) + 2
    assert found.compared_rows == drawn < 13


class Meddled(S3Store):
    """Something writes while it is looked at."""

    def list_objects(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        listed = list(super().list_objects(prefix=prefix, after=after))
        put(self.place, "same size", b"54321")
        self.delete("deleted")
        return iter(listed)


def test_an_object_written_while_it_is_looked_at_is_named(places: dict[str, BucketEndpoint], tmp_path: Path) -> None:
    place = places[MEDDLED]
    for percent in (1, 100):
        for key in ("same size", "deleted", "kept"):
            put(place, key, b"12345")
        wanted = ScanRequest(place=place, sample=Sample(percent=percent, seed="none of them"))
        seen = write_manifest(Meddled, wanted, tmp_path / "meddled", facts={})
        assert [each.split(":")[0] for each in seen.changed] == ["deleted", "same size"]
        assert (seen.rows, seen.changes) == (1, 2)


def test_a_large_object_is_hashed_by_blocks_and_memory_stays_small(
    places: dict[str, BucketEndpoint], tmp_path: Path
) -> None:
    import tracemalloc

    content = os.urandom(2 * BLOCK + 7)
    put(places[LARGE], "blocks", content)
    tracemalloc.start()
    _, seen = looked(places[LARGE], tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seen.read_bytes >= len(content)
    assert peak < 16 * 2**20


def test_a_bucket_that_is_not_there_and_keys_that_are_wrong_are_said(
    places: dict[str, BucketEndpoint], tmp_path: Path
) -> None:
    from dataclasses import replace

    with pytest.raises(StoreError, match=r"AccessDenied|NoSuchBucket"):
        looked(replace(places[LEFT], bucket="nowhere"), tmp_path)
    with pytest.raises(StoreError, match="SignatureDoesNotMatch"):
        looked(replace(places[LEFT], secret_key="wrong-secret-0123456789"), tmp_path)
    assert list(tmp_path.iterdir()) == []
