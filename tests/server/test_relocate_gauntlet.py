"""Bad input at the outermost door: each is named in words, nothing is lost, and the source is left as it was."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import threading
import time
from contextlib import ExitStack, closing
from email.utils import formatdate
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import boto3
import pytest
from control_plane import WITHOUT_GO
from gauntlet_scene import (
    WRITER,
    Relocation,
    await_room,
    between,
    contents,
    held,
    may_mount,
    opened,
    put,
    put_all,
    small_store,
)
from store_server import build_store
from waiting import WITHIN

from components.agents.mover.store.model import BLOCK
from components.agents.mover.store.s3_client import connect
from operations.project.journal import HEAD
from operations.relocation.rehearsal.servers import ALIAS, MOVER, REGION, ROOT, RehearsedStore, store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

LONG = "/".join(each * 204 for each in "abcde")  # 1,024 bytes
ODD = ("a b", " ", "a+b", "100%", "é/モデル/😀", "new\nline", "dir/", "empty/", LONG, "x/" * 20 + "y")


class Sides(NamedTuple):
    source: RehearsedStore
    target: RehearsedStore

    def relocation(self, folder: Path, bucket: str, **more: Any) -> Relocation:
        return Relocation(folder, self.source, self.target, bucket, more=more)

    def fill(self, bucket: str, keys: Iterable[str], content: Callable[[str], bytes]) -> list[tuple[Any, ...]]:
        """Make a bucket with versions at the source; what it holds."""
        place = self.source.place(bucket, user=ROOT)
        with closing(connect(place)) as store:
            store.create()
            store.keep_versions()
        put_all(self.source, bucket, keys, content)
        return held(self.source, bucket)


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    code = build_store()
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("MinIO is built with Go, and there is no `go` on PATH")
    assert code == 0
    folder = tmp_path_factory.mktemp("gauntlet")
    with ExitStack() as stack:
        found = [
            stack.enter_context(store(folder / name, buckets=["first"], writers={WRITER: ["first"]}))
            for name in ("source", "target")
        ]
        for each in found:
            for user in (MOVER, WRITER):
                each.administer("admin", "policy", "attach", ALIAS, "readwrite", "--user", user)
        yield Sides(*found)


def lots(count: int, *, size: int = 2_000) -> tuple[list[str], Callable[[str], bytes]]:
    def content(key: str) -> bytes:
        return key.encode() * (size // len(key))

    return [f"k/{number:05}" for number in range(count)], content


def proven(relocation: Relocation) -> bool:
    found = relocation.run("verify")
    assert ("0 missing, 0 extra, 0 different" in found.said) is (found.code == 0), found.said
    return found.code == 0


def test_a_journal_that_was_cut_stops_every_command(sides: Sides, tmp_path: Path) -> None:
    before = sides.fill("cut", *lots(5))
    relocation = sides.relocation(tmp_path, "cut")
    assert relocation.until("seed").code == 0
    whole = relocation.journal.read_bytes()
    for broken in (
        whole[: len(whole) // 2],
        whole[: whole.rindex(b"\n", 0, -1) + 1],
        whole.replace(b"done", b"dune", 1),
    ):
        relocation.journal.write_bytes(broken)
        every = (("run", "--until", "deltas"), ("rollback",), ("status",), ("verify",))
        for command in every if len(broken) == len(whole) // 2 else every[:1]:
            found = relocation.run(*command)
            assert found.code == 1, (command, found.said)
            assert "the journal cannot be trusted, nothing was done" in found.said
            assert f"{HEAD} back from one backup" in found.said
        assert relocation.journal.read_bytes() == broken
    relocation.journal.write_bytes(whole)
    assert relocation.until("deltas").code == 0
    assert held(sides.source, "cut") == before
    assert proven(relocation)


def test_a_second_run_at_once_is_refused_and_the_first_ends_well(sides: Sides, tmp_path: Path) -> None:
    sides.fill("twice", *lots(6, size=2**20))
    relocation = sides.relocation(tmp_path, "twice", bandwidth_mib_per_s=2)
    first = relocation.start("run", "--until", "seed")
    try:
        relocation.await_objects(1, first)
        first.send_signal(signal.SIGSTOP)
        for command in (("run", "--until", "seed"), ("rollback",)):
            second = relocation.run(*command)
            assert second.code == 1
            assert f"this relocation is being run by process {first.pid} on" in second.said
        assert f"process {first.pid} on" in relocation.run("status").said
    finally:
        first.send_signal(signal.SIGCONT)
        said, _ = first.communicate(timeout=WITHIN)
    assert first.returncode == 0, said
    assert relocation.done()[-1] == "seed"
    assert proven(relocation)


def test_a_source_that_is_written_while_it_is_copied_is_whole_at_the_end(sides: Sides, tmp_path: Path) -> None:
    keys, content = lots(300)
    sides.fill("busy", keys, content)
    over = threading.Event()

    def write() -> None:
        chance = random.Random(3)  # noqa: S311 - which keys are written
        with opened(sides.source, "busy", WRITER) as writer:
            while not over.is_set():
                key = keys[chance.randrange(len(keys))]
                put(writer, key, bytes(reversed(content(key))))
                writer.delete(keys[chance.randrange(20)])
                put(writer, f"new/{chance.randrange(50)}", b"new")
                time.sleep(0.02)

    relocation = sides.relocation(tmp_path, "busy", bandwidth_mib_per_s=1)
    writing = threading.Thread(target=write)
    writing.start()
    try:
        found = relocation.until("deltas")
        while_written = relocation.run("verify")
    finally:
        over.set()
        writing.join()
    assert found.code == 0, found.said
    assert while_written.code == 1
    before = held(sides.source, "busy")
    found = relocation.until("verify")
    assert found.code == 0, found.said
    assert contents(sides.target, "busy") == contents(sides.source, "busy")
    assert relocation.run("rollback").code == 0
    assert held(sides.source, "busy") == before


def test_other_bytes_of_the_same_size_and_time_are_found_on_either_side(sides: Sides, tmp_path: Path) -> None:
    sides.fill("swapped", ["here", "there", "kept"], lambda key: key.encode() * 100)
    relocation = sides.relocation(tmp_path, "swapped")
    put_all(sides.source, "swapped", ["here"], lambda _: b"one!" * 100)
    assert relocation.until("seed").code == 0
    put_all(sides.source, "swapped", ["here"], lambda _: b"two!" * 100)
    put_all(sides.target, "swapped", ["there"], lambda _: b"ereht" * 100)
    before = held(sides.source, "swapped")
    found = relocation.run("verify")
    assert found.code == 1
    assert "0 missing, 0 extra, 2 different" in found.said
    assert re.search(r'different: "here": bytes', found.said)
    assert re.search(r'different: "there": bytes', found.said)
    found = relocation.until(
        "deltas"
    )  # whether a listing shows a stranger's write of the same size hangs on its second
    assert found.code == 0 or "1 objects at the target are not this relocation's: 'there'" in found.said
    found = relocation.run("verify")
    assert found.code == 1
    assert "1 different" in found.said
    with opened(sides.target, "swapped") as target:
        target.delete("there")
    assert relocation.until("verify").code == 0
    assert relocation.run("rollback").code == 0
    assert held(sides.source, "swapped") == before


def test_odd_keys_and_sizes_go_over_whole(sides: Sides, tmp_path: Path) -> None:
    sides.fill("odd", ODD, lambda key: b"" if key.endswith("/") else key.encode() * 3)
    put_all(sides.source, "odd", ["zero"], lambda _: b"")
    large = random.Random(5).randbytes(2 * BLOCK + 17)  # noqa: S311 - bytes that do not compress
    put_all(sides.source, "odd", ["large"], lambda _: large)
    before = held(sides.source, "odd")
    relocation = sides.relocation(tmp_path, "odd")
    found = relocation.until("deltas")
    assert found.code == 0, found.said
    assert set(contents(sides.target, "odd")) == {*ODD, "zero", "large"}
    assert held(sides.source, "odd") == before
    assert proven(relocation)


def test_buckets_and_objects_that_are_denied_are_named(sides: Sides, tmp_path: Path) -> None:
    before = sides.fill("denied", ["open", "secret/a", "secret/b"], lambda key: key.encode())
    relocation = sides.relocation(tmp_path, "denied")
    with deny(sides.source, "denied", "arn:aws:s3:::denied/secret/*"):
        found = relocation.until("seed")
        assert found.code == 1
        assert "denied: 2 objects cannot be copied: 'secret/a', 'secret/b'" in found.said
        assert "look at the user's policy and at the bucket's" in found.said
        assert set(contents(sides.target, "denied")) == {"open"}
    with deny(sides.source, "denied", "arn:aws:s3:::denied", "arn:aws:s3:::denied/*"):
        for command in (("run", "--until", "seed"), ("verify",)):
            found = relocation.run(*command)
            assert found.code == 1
            assert "bucket denied" in found.said
            assert "AccessDenied" in found.said
    with deny(sides.target, "denied", "arn:aws:s3:::denied/*"):
        found = relocation.until("seed")
        assert found.code == 1
        assert f"at {sides.target.endpoint}: AccessDenied" in found.said
    assert held(sides.source, "denied") == before
    found = relocation.until("deltas")
    assert found.code == 0, found.said
    assert proven(relocation)


class deny:  # noqa: N801 - used as a word
    """A policy that denies the mover, for a while."""

    def __init__(self, side: RehearsedStore, name: str, *resources: str) -> None:
        statement = {"Effect": "Deny", "Action": ["s3:*"], "Resource": list(resources)}
        self.side, self.name = side, f"no-{name}"
        self.path = side.drive.parent / f"{self.name}.json"
        self.path.write_text(json.dumps({"Version": "2012-10-17", "Statement": [statement]}), encoding="utf-8")

    def __enter__(self) -> None:
        self.side.administer("admin", "policy", "create", ALIAS, self.name, str(self.path))
        self.side.administer("admin", "policy", "attach", ALIAS, self.name, "--user", MOVER)

    def __exit__(self, *_: object) -> None:
        self.side.administer("admin", "policy", "detach", ALIAS, self.name, "--user", MOVER)


def session(side: RehearsedStore) -> dict[str, str]:
    """Temporary keys of the mover."""
    sts = cast("Any", boto3).client(
        "sts",
        endpoint_url=side.endpoint,
        region_name=REGION,
        aws_access_key_id=MOVER,
        aws_secret_access_key=side.keys[MOVER],
    )
    found = sts.assume_role(RoleArn="arn:x:ignored:by:minio:", RoleSessionName="mover")["Credentials"]
    sts.close()
    return {
        "SOURCE_MOVER_KEY": found["AccessKeyId"],
        "SOURCE_MOVER_SECRET": found["SecretAccessKey"],
        "SOURCE_MOVER_TOKEN": found["SessionToken"],
    }


EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"


def test_temporary_keys_that_end_midway_are_named_and_new_ones_go_on(sides: Sides, tmp_path: Path) -> None:
    before = sides.fill("expiring", *lots(200, size=20_000))
    keys = {
        "access_key_env": "SOURCE_MOVER_KEY",
        "secret_key_env": "SOURCE_MOVER_SECRET",
        "session_token_env": "SOURCE_MOVER_TOKEN",
    }
    relocation = sides.relocation(tmp_path, "expiring", **{"source.mover": keys})
    relocation.secrets |= session(sides.source)
    left, ended = [100], threading.Event()

    def expire(method: str, path: str, headers: dict[str, str] | None) -> tuple[int, bytes] | None:
        if headers is not None or method != "GET" or "/k/" not in path:
            return None
        left[0] -= 1
        if left[0] < 0 and not ended.is_set():  # the first keys end while the copy is under way, however fast it is
            ended.wait(WITHIN)
            return None
        return (400, EXPIRED) if left[0] < 0 else None

    with between(sides.source, expire) as address:
        relocation.endpoints["source"] = address
        started = relocation.start("run", "--until", "seed")
        relocation.await_objects(20, started)
        sides.source.administer("admin", "user", "disable", ALIAS, MOVER)
        left[0] = 10**9
        ended.set()
        said, _ = started.communicate(timeout=WITHIN)
        sides.source.administer("admin", "user", "enable", ALIAS, MOVER)
        assert started.returncode == 1
        assert "Traceback" not in said
        assert "the temporary keys ran out: get new ones and run it again" in " ".join(said.split())
        copied = len(contents(sides.target, "expiring"))
        assert 20 <= copied < 200

        relocation.secrets |= session(sides.source)
        left[0] = 30
        found = relocation.until("seed")
        assert found.code == 1
        assert "ExpiredToken (400)" in found.said
        assert "the temporary keys ran out: get new ones and run it again" in found.said
        assert copied < len(contents(sides.target, "expiring")) < 200
        left[0] = 10**9
        found = relocation.until("deltas")
        assert found.code == 0, found.said
        assert proven(relocation)
    assert held(sides.source, "expiring") == before


def test_a_target_whose_quota_is_used_up_is_named_and_goes_on_with_more(sides: Sides, tmp_path: Path) -> None:
    before = sides.fill("full", *lots(30, size=2**20))
    relocation = sides.relocation(tmp_path, "full", **{"target.admin": None})
    with closing(connect(sides.target.place("full", user=ROOT))) as store:
        store.create()
    sides.target.administer("quota", "set", f"{ALIAS}/full", "--size", "1KiB")
    found = relocation.until("seed")
    sides.target.administer("quota", "clear", f"{ALIAS}/full")
    assert found.code == 1
    assert "quota is used up: raise it" in found.said
    found = relocation.until("deltas")
    assert found.code == 0, found.said
    assert held(sides.source, "full") == before
    assert proven(relocation)


@pytest.mark.skipif(not may_mount(), reason="this machine lets nobody mount a drive of a given size")
def test_a_target_that_is_too_small_is_told_before_and_one_that_fills_up_goes_on_with_room(
    sides: Sides, tmp_path: Path
) -> None:
    before = sides.fill("small", *lots(90, size=2**20))
    with small_store(tmp_path / "store", mib=120) as target:
        for bucket in ("small", "other"):
            target.administer("mb", f"{ALIAS}/{bucket}")
        put_all(target, "other", *lots(40, size=2**20))
        await_room(target, mib=range(89))
        relocation = Relocation(tmp_path / "project", sides.source, target, "small")
        relocation.secrets |= {"TARGET_MOVER_KEY": "rehearsal-root"}
        found = relocation.until("seed")
        assert found.code == 1
        assert "the target is too small: 89 MiB are to be copied" in found.said
        assert contents(target, "small") == {}
        relocation = Relocation(tmp_path / "unasked", sides.source, target, "small", more={"target.admin": None})
        relocation.secrets |= {"TARGET_MOVER_KEY": "rehearsal-root"}
        found = relocation.until("seed")
        assert found.code == 1
        assert "the store's drives are full: make room and run it again" in found.said
        assert 0 < len(contents(target, "small")) < 90
        with opened(target, "other") as other:
            for key in contents(target, "other"):
                other.delete(key)
        await_room(target, mib=range(90 - len(contents(target, "small")) + 10, 121))
        found = relocation.until("deltas")
        assert found.code == 0, found.said
        assert proven(relocation)
    assert held(sides.source, "small") == before


def test_clocks_that_are_apart_are_named_by_side(sides: Sides, tmp_path: Path) -> None:
    sides.fill("skewed", ["a"], lambda _: b"a")

    def later(_method: str, _path: str, headers: dict[str, str] | None) -> None:
        if headers is not None:
            headers["date"] = formatdate(time.time() + 600, usegmt=True)

    relocation = sides.relocation(tmp_path, "skewed")
    with between(sides.target, later) as address:
        relocation.endpoints["target"] = address
        found = relocation.until("seed")
    assert found.code == 1
    assert re.search(r"the clock of the target's store is (59[0-9]|600) s away from this machine's: set it", found.said)
    assert relocation.done() == ["plan"]
    late = (
        "import sys, time; true = time.gmtime; sys.argv = ['atoll', *sys.argv[1:]];"
        "time.gmtime = lambda *at: true(*(at or (time.time() - 3600,)));"
        "from cli.main.entry import main; main()"
    )
    relocation = Relocation(tmp_path / "late", *sides, "skewed", entry=("-c", late))
    found = relocation.until("seed")
    assert found.code == 1
    assert "RequestTimeTooSkewed" in found.said
    assert "the clocks of this machine and of the store are too far apart: set this one by NTP" in found.said


def test_killed_ten_times_nothing_is_missing_extra_or_different(sides: Sides, tmp_path: Path) -> None:
    before = sides.fill("killed", *lots(1_000))
    relocation = sides.relocation(tmp_path, "killed")
    chance = random.Random(20)  # noqa: S311 - moments of kills
    killed: list[str] = []
    for at in range(10):
        started = relocation.start("run", "--until", "verify")
        relocation.await_word(started)
        while at % 2 and started.poll() is None and relocation.begun()[-1:] == ["preflight"]:
            time.sleep(0.01)  # every other kill falls after the preflight, however slow the machine is
        time.sleep(chance.uniform(0.0, 0.4))
        killed += relocation.begun()[-1:] if started.poll() is None else []
        started.kill()
        started.communicate()
    found = relocation.until("verify")
    assert found.code == 0, found.said
    assert len(killed) >= 5  # the rest had ended by themselves, on a fast machine
    assert "seed" in killed
    assert "1,000 objects" in found.said
    assert "0 missing, 0 extra, 0 different" in found.said
    assert contents(sides.target, "killed") == contents(sides.source, "killed")
    assert relocation.run("rollback").code == 0
    assert held(sides.source, "killed") == before
