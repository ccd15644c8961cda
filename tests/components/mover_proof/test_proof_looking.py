from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from object_digest import of_bytes
from proof_store import PLACE, Bucket, Held, MemoryStore

from components.agents.mover import scan
from components.agents.mover.manifest import ManifestRow
from components.agents.mover.scan import (
    Sample,
    ScanCallbacks,
    ScanRequest,
    ScanResult,
    ScanStoppedError,
    Shard,
    scan_bucket,
)
from components.agents.mover.store.model import BLOCK, StoreError

TYPE = (("content-type", "text/plain"),)


def seen(bucket: Bucket, **more: Any) -> tuple[ScanResult, dict[tuple[str, int], ManifestRow]]:
    found: dict[tuple[str, int], ManifestRow] = {}
    told = scan_bucket(
        bucket.connect,
        ScanRequest(place=PLACE, **more),
        ScanCallbacks(row=lambda row: found.update({(row.key, row.order): row})),
    )
    return told, found


def test_everything_of_an_object_is_in_its_row() -> None:
    bucket = Bucket()
    bucket.put("a b/模\n/", b"bytes", headers=TYPE, metadata=(("step", "7"),), tags=(("team", "vision"),))
    bucket.put("zero")
    told, found = seen(bucket)
    row = found["a b/模\n/", 0]
    assert (row.size, row.digest) == (5, of_bytes(b"bytes"))
    assert (row.headers, row.metadata, row.tags) == (TYPE, (("step", "7"),), (("team", "vision"),))
    assert found["zero", 0].digest == of_bytes(b"")
    assert (told.rows, told.size, told.read_rows, told.read_bytes, told.changes) == (2, 5, 2, 5, 0)


def test_the_hash_is_that_of_blocks_whatever_pieces_come() -> None:
    bucket = Bucket()
    content = bytes(range(256)) * (BLOCK // 256) + b"and a rest"
    bucket.put("blocks", content)
    bucket.put("one block", content[:BLOCK])
    _, found = seen(bucket)
    assert found["blocks", 0].digest == of_bytes(content)
    assert found["one block", 0].digest == of_bytes(content[:BLOCK])


def test_older_versions_and_delete_markers_are_rows_only_where_asked() -> None:
    bucket = Bucket()
    bucket.put("a", b"first")
    bucket.put("a", b"second")
    bucket.put("b", b"gone")
    bucket.put("b", deleted=True)
    _, plain = seen(bucket)
    assert list(plain) == [("a", 0)]
    _, every = seen(bucket, versions=True)
    assert {at: (row.size, row.deleted) for at, row in every.items()} == {
        ("a", 0): (6, False),
        ("a", 1): (5, False),
        ("b", 0): (0, True),
        ("b", 1): (4, False),
    }


def test_tags_are_asked_of_each_object_where_the_store_does_not_count_them() -> None:
    bucket = Bucket(counts_tags=False)
    bucket.put("tagged", b"x", tags=(("a", "b"),))
    bucket.put("plain", b"x")
    _, found = seen(bucket)
    assert found["tagged", 0].tags == (("a", "b"),)
    assert sorted(bucket.asked_for_tags) == ["plain", "tagged"]
    counting = Bucket(objects=bucket.objects)
    _, found = seen(counting, counts_tags=True)
    assert found["tagged", 0].tags == (("a", "b"),)
    assert counting.asked_for_tags == ["tagged"]


def test_a_sample_reads_a_share_of_whole_objects_and_everything_else_of_all() -> None:
    bucket = Bucket()
    for at in range(400):
        bucket.put(f"k{at}", b"x" * 10, tags=(("n", str(at)),))
    bucket.put("zero")
    sample = Sample(percent=25, seed="s1")
    told, found = seen(bucket, sample=sample)
    read = {key for (key, _), row in found.items() if row.digest}
    assert len(found) == 401
    assert read == {key for key, _ in found if sample.reads(key, 10)} | {"zero"}
    assert 60 <= told.read_rows <= 140
    assert all(row.tags for (key, _), row in found.items() if key != "zero")
    _, other = seen(bucket, sample=replace(sample, seed="s2"))
    assert {key for (key, _), row in other.items() if row.digest} != read


def test_shards_are_all_of_it_and_no_object_twice() -> None:
    bucket = Bucket()
    for at in range(100):
        bucket.put(f"k{at}", b"x")
    parts = [set(seen(bucket, shard=Shard(index=at, of=3))[1]) for at in range(3)]
    assert sum(map(len, parts)) == len(set().union(*parts)) == 100
    assert all(len(each) > 15 for each in parts)


def test_our_own_objects_are_left_out_and_counted() -> None:
    bucket = Bucket()
    bucket.put(".atoll/ledger", b"ours")
    bucket.put("theirs", b"x")
    told, found = seen(bucket, reserved=".atoll/")
    assert (list(found), told.reserved) == ([("theirs", 0)], 1)


class Meddled(MemoryStore):
    """What happens to an object after it was listed."""

    def list_versions(self, **asked: str) -> Any:
        listed = list(super().list_versions(**asked))
        for key, held in MEDDLING.items():
            if held is None:
                del self.bucket.objects[key]
            else:
                self.bucket.objects[key] = [replace(held, version=self.bucket.objects[key][0].version)]
        return iter(listed)


MEDDLING: dict[str, Held | None] = {}


@pytest.mark.parametrize("percent", [1, 100])
def test_an_object_that_changes_between_listing_and_reading_is_named(
    monkeypatch: pytest.MonkeyPatch, percent: int
) -> None:
    bucket = Bucket()
    for key in ("deleted", "kept", "same size", "longer"):
        bucket.put(key, b"12345")
    monkeypatch.setattr(
        "test_proof_looking.MEDDLING", {"deleted": None, "same size": Held(b"54321"), "longer": Held(b"123456")}
    )
    found: list[ManifestRow] = []
    told = scan_bucket(
        lambda place: Meddled(bucket, place),  # type: ignore[arg-type, return-value]
        ScanRequest(place=PLACE, sample=Sample(percent=percent, seed="x")),
        ScanCallbacks(row=found.append),
    )
    assert [each.key for each in found] == ["kept"]
    assert told.changes == 3
    assert [each.partition(":")[0] for each in told.changed] == ["deleted", "longer", "same size"]


def test_a_body_that_ends_early_and_a_refusal_end_the_look_and_every_connection_is_closed() -> None:
    class Short(MemoryStore):
        def open(self, key: str, **asked: Any) -> Any:
            body = super().open(key, **asked)
            body.read_into(memoryview(bytearray(1)))
            return body

    class Refused(MemoryStore):
        def get_tags(self, key: str, **_: str) -> Any:
            raise StoreError(f"{key}: AccessDenied", code="AccessDenied", status=403)

    for kind, why in ((Short, "2 of 3 bytes came"), (Refused, "AccessDenied")):
        bucket = Bucket()
        for at in range(100):
            bucket.put(f"k{at}", b"123")
        made: list[MemoryStore] = []

        def connect(place: Any, kind: type[MemoryStore] = kind, bucket: Bucket = bucket, made: Any = made) -> Any:
            made.append(kind(bucket, place))
            return made[-1]

        with pytest.raises(StoreError, match=why):
            scan_bucket(connect, ScanRequest(place=PLACE), ScanCallbacks(row=lambda _: None))
        assert bucket.closed == len(made)


def test_it_stops_where_it_is_asked_to_and_bytes_are_spent_before_they_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "TOGETHER", 1)
    bucket = Bucket()
    for at in range(100):
        bucket.put(f"k{at}", b"123")
    found: list[ManifestRow] = []
    spent: list[int] = []
    watching = ScanCallbacks(row=found.append, spend=spent.append, stop=lambda: len(found) >= 5)
    with pytest.raises(ScanStoppedError):
        scan_bucket(bucket.connect, ScanRequest(place=PLACE, threads=2), watching)
    assert 5 <= len(found) < 20
    assert sum(spent) >= 3 * len(found)
