from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from memory_store import Fault, MemoryStore, MemoryStores, place
from object_digest import of_bytes

from components.agents.mover.manifest import Manifest, ManifestRow, row_of
from components.agents.mover.rounds import CopyOptions, RoundReport, copy_round
from components.agents.mover.scan import Shard
from components.agents.mover.store.model import BLOCK, BucketEndpoint, Head, StoreError
from components.agents.mover.transfer import part_size

LIKE = Head(size=0, etag="", headers=(("content-type", "a/b"),), metadata=(("farbe", "grün"),))


class Killed(BaseException):
    """What stands for the end of the process."""


def round_(folder: Path, options: CopyOptions | None = None) -> RoundReport:
    return copy_round(
        place("source"), place("target"), folder=folder, options=options or CopyOptions(transfers=2), say=lambda _: None
    )


def rows(report: RoundReport) -> dict[tuple[str, int], ManifestRow]:
    found = [row_of(line) for line in Manifest(Path(report.manifest)).read_lines()]
    return {(each.key, each.order): each for each in found}


def fail_at(verb: str, key: str, error: BaseException, *, after: int = 0) -> Fault:
    count = itertools.count()

    def fault(now: str, at: str) -> None:
        if now == verb and key in {at, "*"} and next(count) >= after:
            raise error

    return fault


def test_everything_is_copied_with_all_it_has_and_told(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1", like=LIKE, tags=(("t", "1"),))
    stores.source.write("dir/", b"")
    stores.source.write("ü +%", b"22")
    report = round_(tmp_path)
    assert (report.objects, report.size, report.complete, report.quiet) == (3, 3, True, False)
    assert stores.target.plain() == stores.source.plain()
    copy = stores.target.objects["a"][-1]
    assert (copy.like.headers, copy.like.metadata, copy.tags) == (LIKE.headers, LIKE.metadata, (("t", "1"),))
    found = rows(report)
    assert {key for key, _ in found} == {"a", "dir/", "ü +%"}
    assert found["a", 0].digest == of_bytes(b"1")
    assert found["dir/", 0].digest == of_bytes(b"")
    assert found["a", 0].tags == (("t", "1"),)


def test_a_large_object_goes_in_parts_and_its_digest_is_that_of_its_bytes(stores: MemoryStores, tmp_path: Path) -> None:
    content = b"0123456789abcdef" * (BLOCK // 16 * 2) + b"tail"
    stores.source.write("big", content, like=LIKE, tags=(("t", "1"),))
    report = round_(tmp_path, CopyOptions(transfers=3))
    copy = stores.target.objects["big"][-1]
    assert copy.content == content
    assert (copy.like.metadata, copy.tags) == (LIKE.metadata, (("t", "1"),))
    assert rows(report)["big", 0].digest == of_bytes(content)
    assert stores.target.uploads == {}


def test_a_second_round_does_nothing_and_tells_the_same(stores: MemoryStores, tmp_path: Path) -> None:
    for number in range(5):
        stores.source.write(f"k{number}", b"x" * number, like=LIKE)
    first = round_(tmp_path)
    whole = rows(first)
    second = round_(tmp_path)
    assert second.quiet
    assert (second.skipped, second.skipped_size) == (5, 10)
    assert rows(second) == whole
    assert len(stores.target.puts) == 5


def test_only_what_changed_is_copied_and_what_was_deleted_is_deleted(stores: MemoryStores, tmp_path: Path) -> None:
    for key in "abcd":
        stores.source.write(key, key.encode())
    round_(tmp_path)
    stores.source.write("b", b"new")
    stores.source.write("c", b"c")  # the same bytes, written again: metadata may differ
    stores.source.remove("d")
    stores.source.write("e", b"e")
    report = round_(tmp_path)
    assert (report.objects, report.deleted, report.skipped) == (3, 1, 1)
    assert stores.target.plain() == stores.source.plain() == {"a": b"a", "b": b"new", "c": b"c", "e": b"e"}
    assert round_(tmp_path).quiet


def test_what_others_wrote_at_the_target_is_named_and_never_touched(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("mine", b"1")
    stores.source.write("both", b"1")
    stores.target.write("both", b"theirs")
    stores.target.write("alone", b"theirs")
    report = round_(tmp_path)
    assert {key for key, _ in report.foreign} == {"both", "alone"}
    assert not report.complete
    assert stores.target.plain() == {"mine": b"1", "both": b"theirs", "alone": b"theirs"}
    stores.source.remove("both")
    round_(tmp_path)
    assert stores.target.plain()["both"] == b"theirs"


def test_a_copy_that_others_wrote_over_is_named_and_never_touched(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1")
    round_(tmp_path)
    stores.target.write("a", b"theirs now")
    stores.source.remove("a")
    report = round_(tmp_path)
    assert report.foreign == [("a", "was written at the target by somebody else since it was copied")]
    assert stores.target.plain() == {"a": b"theirs now"}


def test_a_copy_that_the_target_lost_is_made_again(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1")
    round_(tmp_path)
    stores.target.remove("a")
    assert round_(tmp_path).objects == 1
    assert stores.target.plain() == {"a": b"1"}


def test_an_object_that_changes_while_it_is_copied_is_the_next_rounds(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1")
    stores.source.write("b", b"1")
    stores.source.write("c", b"x" * (BLOCK + 1))

    def change(verb: str, key: str) -> None:
        if verb in {"get", "head"} and key in {"a", "c"}:
            stores.source.fault = lambda *_: None
            stores.source.write("a", b"2")
            stores.source.write("c", b"y" * (BLOCK + 1))

    stores.source.fault = change
    report = round_(tmp_path, CopyOptions(transfers=1))
    assert sorted(report.changed_during) == ["a", "c"]
    assert not report.complete
    assert list(rows(report)) == [("b", 0)]
    assert round_(tmp_path).complete
    assert stores.target.plain() == stores.source.plain()


def test_an_object_that_is_deleted_while_it_is_copied_is_the_next_rounds(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1")

    def vanish(verb: str, key: str) -> None:
        if (verb, key) == ("get", "a"):
            stores.source.remove("a")

    stores.source.fault = vanish
    assert round_(tmp_path).changed_during == ["a"]
    assert round_(tmp_path).complete
    assert stores.target.plain() == {}


@pytest.mark.parametrize(
    ("verb", "key"), [("put", "*"), ("get", "*"), ("part", "big"), ("finish", "big"), ("begin", "*")]
)
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_kill_at_any_moment_loses_nothing(
    stores: MemoryStores, tmp_path: Path, verb: str, key: str, after: int
) -> None:
    for number in range(6):
        stores.source.write(f"k{number}", b"x" * number)
    stores.source.write("big", b"y" * (2 * BLOCK + 5))
    side = stores.source if verb == "get" else stores.target
    side.fault = fail_at(verb, key, Killed(), after=after)
    try:
        round_(tmp_path)
    except Killed:
        side.fault = fail_at("abandon", "*", Killed())
    side.fault = lambda *_: None
    report = round_(tmp_path)
    assert report.complete
    assert stores.target.plain() == stores.source.plain()
    assert stores.target.uploads == {}
    assert {key for key, _ in rows(report)} == set(stores.source.objects)


def test_what_a_killed_round_left_unwritten_is_still_ours(stores: MemoryStores, tmp_path: Path) -> None:
    """The object is at the target, the ledger never heard of it, and it was deleted at the source meanwhile."""
    stores.source.write("a", b"1")
    stores.target.fault = fail_at("put", "a", Killed())
    with pytest.raises(Killed):
        round_(tmp_path)
    stores.target.fault = lambda *_: None
    stores.target.write("a", b"1")
    stores.source.remove("a")
    report = round_(tmp_path)
    assert (report.foreigns, report.deleted) == (0, 1)
    assert stores.target.plain() == {}


def test_uploads_that_a_killed_round_left_are_abandoned_and_others_are_not(
    stores: MemoryStores, tmp_path: Path
) -> None:
    stores.source.write("big", b"y" * (BLOCK + 5))
    stores.target.fault = fail_at("part", "big", Killed())
    with pytest.raises(Killed):
        round_(tmp_path)
    stores.target.fault = lambda *_: None
    stores.target.uploads["theirs"] = ("other", {}, LIKE, ())
    left = [upload for upload, (key, *_) in stores.target.uploads.items() if key == "big"]
    report = round_(tmp_path)
    assert report.abandoned == len(left) == 1
    assert list(stores.target.uploads) == ["theirs"]


@pytest.mark.parametrize("code", ["XMinioStorageFull", "ExpiredToken", "NoSuchBucket", "RequestTimeTooSkewed"])
def test_what_would_stop_everything_ends_the_round_and_the_next_goes_on(
    stores: MemoryStores, tmp_path: Path, code: str
) -> None:
    for number in range(20):
        stores.source.write(f"k{number:02}", b"x")
    stores.target.fault = fail_at("put", "*", StoreError(f"told: {code}", code=code, status=400), after=5)
    with pytest.raises(StoreError, match=f"told: {code}"):
        round_(tmp_path)
    assert len(stores.target.plain()) == 5
    stores.target.fault = lambda *_: None
    report = round_(tmp_path)
    assert (report.objects, report.skipped, report.complete) == (15, 5, True)
    assert len(stores.target.puts) == 20


def test_one_object_that_is_refused_does_not_stop_the_others(stores: MemoryStores, tmp_path: Path) -> None:
    for key in ("a", "b//c", "d"):
        stores.source.write(key, b"x")
    refused = StoreError("no such name", code="XMinioInvalidObjectName", status=400)
    stores.target.fault = fail_at("put", "b//c", refused)
    report = round_(tmp_path)
    assert report.failed == [("b//c", "no such name")]
    assert (report.objects, report.complete) == (2, False)


def test_a_bucket_that_refuses_everything_ends_the_round_by_name(stores: MemoryStores, tmp_path: Path) -> None:
    for number in range(100):
        stores.source.write(f"k{number:03}", b"x")
    stores.target.fault = fail_at("put", "*", StoreError("denied at bucket", code="AccessDenied", status=403))
    with pytest.raises(StoreError, match="denied at bucket"):
        round_(tmp_path)


def test_an_error_of_our_own_is_not_hidden(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"x")
    stores.target.fault = fail_at("put", "a", ZeroDivisionError("ours"))
    with pytest.raises(ZeroDivisionError, match="ours"):
        round_(tmp_path)


def test_tags_are_asked_again_where_that_is_wanted(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1", tags=(("t", "1"),))
    stores.source.write("b", b"1", tags=(("t", "1"),))
    round_(tmp_path)
    stores.source.objects["a"][-1].tags = (("t", "2"),)
    assert round_(tmp_path).quiet
    report = round_(tmp_path, CopyOptions(tags_again=True))
    assert (report.retagged, report.skipped, report.objects, report.quiet) == (1, 1, 0, False)
    assert stores.target.objects["a"][-1].tags == (("t", "2"),)
    assert rows(report)["a", 0].tags == (("t", "2"),)
    assert round_(tmp_path, CopyOptions(tags_again=True)).quiet


def test_a_round_that_is_stopped_goes_on_later(stores: MemoryStores, tmp_path: Path) -> None:
    for number in range(600):
        stores.source.write(f"k{number:03}", b"x")
    asked = itertools.count()
    report = round_(tmp_path, CopyOptions(transfers=1, stop=lambda: next(asked) > 300))
    assert report.stopped
    assert not report.complete
    assert report.manifest == ""
    assert report.objects <= 300
    assert round_(tmp_path).objects == 600 - report.objects
    assert stores.target.plain() == stores.source.plain()


def test_our_own_objects_are_not_the_customers(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1")
    stores.source.write(".atoll/canary", b"1")
    stores.target.write(".atoll/result", b"1")
    report = round_(tmp_path, CopyOptions(reserved=".atoll/"))
    assert (report.objects, report.foreigns) == (1, 0)
    assert set(stores.target.plain()) == {"a", ".atoll/result"}


def test_shards_together_copy_everything_once(stores: MemoryStores, tmp_path: Path) -> None:
    for number in range(40):
        stores.source.write(f"k{number}", b"x")
    reports = [round_(tmp_path / str(at), CopyOptions(shard=Shard(index=at, of=3))) for at in range(3)]
    assert sum(each.objects for each in reports) == 40
    assert all(each.complete and each.objects for each in reports)
    assert len(stores.target.puts) == 40
    stores.source.objects.clear()
    assert round_(tmp_path / "0", CopyOptions(shard=Shard(index=0, of=3))).deleted == reports[0].objects


def test_a_target_that_keeps_a_key_under_another_name_is_refused(stores: MemoryStores, tmp_path: Path) -> None:
    """MinIO keeps "/a" as "a", without a word."""
    stores.source.write("a", b"the real one")
    stores.source.write("/a", b"another")
    tidy = stores.connect

    def connect(at: BucketEndpoint) -> MemoryStore:
        store = tidy(at)
        if at.endpoint == "http://target":
            for verb in ("put", "head", "delete"):
                plain = getattr(store, verb)
                setattr(store, verb, lambda key, *rest, plain=plain, **more: plain(key.lstrip("/"), *rest, **more))
        return store

    stores.connect = connect
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("components.agents.mover.worker_pool.connect", connect)
        first = round_(tmp_path, CopyOptions(transfers=1))
    assert [key for key, _ in first.failed] == ["/a"]
    assert stores.target.plain() == {"a": b"the real one"}


def test_a_store_that_lists_out_of_order_is_refused(
    stores: MemoryStores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = [stores.source.write(key, b"x").listed for key in ("a", "b")]
    store = stores.connect(place("source"))
    store.list_objects = lambda **_: iter(reversed(listed))
    stores_of = {"http://source": store, "http://target": stores.connect(place("target"))}
    monkeypatch.setattr("components.agents.mover.rounds.connect", lambda at: stores_of[at.endpoint])
    with pytest.raises(StoreError, match="'a' after 'b'"):
        round_(tmp_path)


def test_progress_is_told(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"x" * 2**20)
    lines, seen = [], []
    options = CopyOptions(expected_bytes=2**21, watch=lambda *done: seen.append(done))
    copy_round(place("source"), place("target"), folder=tmp_path, options=options, say=lines.append)
    assert lines[-1].startswith("1 objects, 1 MiB copied, 0 unchanged, ")
    assert lines[-1].endswith(" s left")
    assert seen[-1] == (1, 2**20)


class TestVersions:
    """Every version, oldest first, with its markers."""

    options = CopyOptions(versions=True, transfers=2)

    @pytest.fixture(autouse=True)
    def _keep(self, stores: MemoryStores) -> None:
        stores.source.keeps = stores.target.keeps = True

    def filled(self, stores: MemoryStores) -> None:
        for content in (b"1", b"2", b"3"):
            stores.source.write("a", content, like=replace(LIKE, metadata=(("n", content.decode()),)))
        stores.source.write("b", b"1")
        stores.source.remove("b")
        stores.source.write("big", b"x" * (BLOCK + 1))
        stores.source.write("big", b"y" * (BLOCK + 2))

    def test_they_are_copied_in_order(self, stores: MemoryStores, tmp_path: Path) -> None:
        self.filled(stores)
        report = round_(tmp_path, self.options)
        assert stores.target.history() == stores.source.history()
        assert (report.objects, report.complete) == (7, True)
        found = rows(report)
        assert [found["a", order].metadata for order in range(3)] == [(("n", str(n)),) for n in (3, 2, 1)]
        assert found["b", 0].deleted
        assert not found["b", 1].deleted
        assert round_(tmp_path, self.options).quiet

    def test_what_came_and_went_follows(self, stores: MemoryStores, tmp_path: Path) -> None:
        self.filled(stores)
        round_(tmp_path, self.options)
        stores.source.write("a", b"4")
        stores.source.remove("a", stores.source.objects["a"][0].listed.version)
        stores.source.remove("b", stores.source.objects["b"][1].listed.version)
        for each in list(stores.source.objects["big"]):
            stores.source.remove("big", each.listed.version)
        report = round_(tmp_path, self.options)
        assert stores.target.history() == stores.source.history() == {"a": [b"2", b"3", b"4"], "b": [b"1"]}
        assert (report.objects, report.deleted) == (1, 1)
        assert round_(tmp_path, self.options).quiet

    @pytest.mark.parametrize("verb", ["put", "delete", "part", "finish"])
    @pytest.mark.parametrize("after", [0, 1, 3])
    def test_a_kill_leaves_no_version_twice(self, stores: MemoryStores, tmp_path: Path, verb: str, after: int) -> None:
        self.filled(stores)
        stores.target.fault = fail_at(verb, "*", Killed(), after=after)
        try:
            round_(tmp_path, self.options)
        except Killed:
            stores.target.fault = lambda *_: None
        assert round_(tmp_path, self.options).complete
        assert stores.target.history() == stores.source.history()
        assert stores.target.uploads == {}

    def test_a_version_of_somebody_else_is_named(self, stores: MemoryStores, tmp_path: Path) -> None:
        self.filled(stores)
        round_(tmp_path, self.options)
        stores.target.write("a", b"theirs")
        stores.target.write("z", b"theirs")
        report = round_(tmp_path, self.options)
        assert [key for key, _ in report.foreign] == ["a", "z"]
        assert stores.target.history()["a"][-1] == b"theirs"

    def test_a_write_whose_answer_was_lost_does_not_stand_twice(self, stores: MemoryStores, tmp_path: Path) -> None:
        stores.source.write("a", b"1")
        plain = stores.connect

        def connect(at: BucketEndpoint) -> MemoryStore:
            store = plain(at)
            if at.endpoint == "http://target":
                put = store.put

                def twice(key: str, body: memoryview, **more: Any) -> Head:
                    put(key, body, **more)
                    store.lost += 1
                    return put(key, body, **more)

                store.put = twice
            return store

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("components.agents.mover.worker_pool.connect", connect)
            round_(tmp_path, self.options)
        assert stores.target.history() == {"a": [b"1"]}
        assert round_(tmp_path, self.options).quiet

    def test_a_bucket_that_keeps_none_is_named(self, stores: MemoryStores, tmp_path: Path) -> None:
        stores.target.keeps = False
        with pytest.raises(StoreError, match="bucket at http://target keeps no versions"):
            round_(tmp_path, self.options)


@pytest.mark.parametrize("size", [BLOCK + 1, 5 * 2**30, 10_000 * BLOCK, 10_000 * BLOCK + 1, 5 * 2**40])
def test_an_object_has_no_more_parts_than_a_store_takes(size: int) -> None:
    found = part_size(size)
    assert found % BLOCK == 0
    assert -(-size // found) <= 10_000
    assert found == BLOCK or -(-size // (found - BLOCK)) > 10_000


def test_a_source_that_may_not_tell_tags_is_refused_before_any_is_lost(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1", tags=(("t", "1"),))
    stores.source.fault = fail_at("tags", "a", StoreError("denied", code="AccessDenied", status=403))
    with pytest.raises(StoreError, match="tags cannot be read, and would be lost: denied"):
        round_(tmp_path)
    assert stores.target.plain() == {}


def test_an_object_that_goes_meanwhile_does_not_prove_that_tags_may_be_read(
    stores: MemoryStores, tmp_path: Path
) -> None:
    stores.source.write("a", b"1")
    stores.source.write("b", b"1", tags=(("t", "1"),))
    gone = fail_at("tags", "a", StoreError("gone", code="NoSuchKey", status=404))
    denied = fail_at("tags", "b", StoreError("denied", code="AccessDenied", status=403))

    def fault(verb: str, key: str) -> None:
        gone(verb, key)
        denied(verb, key)

    stores.source.fault = fault
    with pytest.raises(StoreError, match="tags cannot be read, and would be lost: denied"):
        round_(tmp_path)


def test_a_store_that_counts_no_tags_is_asked_for_those_of_each_object(stores: MemoryStores, tmp_path: Path) -> None:
    stores.source.write("a", b"1", tags=(("t", "1"),))
    stores.source.counts = False
    round_(tmp_path, CopyOptions(tags_counted=False))
    assert stores.target.objects["a"][-1].tags == (("t", "1"),)


def test_no_more_is_read_in_a_second_than_was_allowed(
    stores: MemoryStores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    monkeypatch.setattr("components.agents.mover.worker_pool.Bandwidth.take", lambda _, count: taken.append(count))
    stores.source.write("a", b"x" * 1000)
    stores.source.write("b", b"x" * (BLOCK + 1))
    round_(tmp_path, CopyOptions(bandwidth_mib_per_s=1))
    assert sum(taken) == 1000 + BLOCK + 1
