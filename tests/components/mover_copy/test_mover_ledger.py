from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_store import place

from components.agents.mover.ledger import NAME, CopyLedger, Written
from components.agents.mover.store.model import StoreError


def opened(folder: Path, *, target: str = "target", versions: bool = False) -> CopyLedger:
    return CopyLedger(folder, source=place("source"), target=place(target), versions=versions)


def written(key: str, number: int = 0) -> Written:
    return Written(
        key=key,
        number=number,
        version="v",
        etag="e",
        size=2**42,
        modified=1.5,
        target_etag="t",
        target_version="tv",
        target_time=2.5,
        line=b"line\n",
    )


def test_what_was_written_is_read_back_in_the_order_of_the_bytes(tmp_path: Path) -> None:
    keys = ["b", "a/", "a", "ü", "😀", "Z", "a b", "￿", "\x01", "a" * 1024]
    with opened(tmp_path) as ledger:
        ledger.record_written([written(each) for each in keys], done=keys)
    with opened(tmp_path) as ledger:
        assert [key for key, _ in ledger.group_by_key()] == sorted(keys, key=str.encode)
        assert dict(ledger.group_by_key())["ü"] == (written("ü"),)


@given(st.lists(st.text(min_size=1), unique=True))
def test_any_key_survives(tmp_path_factory: pytest.TempPathFactory, keys: list[str]) -> None:
    with opened(tmp_path_factory.mktemp("ledger")) as ledger:
        ledger.intend(keys)
        assert sorted(ledger.list_intended()) == sorted(keys)
        ledger.record_written([written(each) for each in keys], done=keys)
        assert [key for key, _ in ledger.group_by_key()] == sorted(keys)
        assert ledger.list_intended() == []


def test_more_rows_than_a_page_come_once_each(tmp_path: Path) -> None:
    rows = [written(f"k{key:03}", number) for key in range(700) for number in range(3)]
    with opened(tmp_path) as ledger:
        ledger.record_written(rows, done=[])
        assert [each for _, group in ledger.group_by_key() for each in group] == rows


def test_what_is_written_again_replaces_all_versions_of_its_key(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.record_written([written("a", number) for number in range(3)], done=["a"])
        ledger.record_written([written("a")], done=["a"])
        assert list(ledger.group_by_key()) == [("a", (written("a"),))]


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.intend(["a", "b"])
        ledger.record_written([written("a")], done=[])
        ledger.forget(["a"])
        assert list(ledger.group_by_key()) == []
        assert ledger.list_intended() == ["b"]


def test_the_ledger_of_other_buckets_is_refused(tmp_path: Path) -> None:
    opened(tmp_path).__exit__()
    with pytest.raises(StoreError, match="target http://target/bucket and not http://elsewhere/bucket"):
        opened(tmp_path, target="elsewhere")
    with pytest.raises(StoreError, match="versions False and not True"):
        opened(tmp_path, versions=True)


def test_two_copies_at_once_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(StoreError, match="another copy of this bucket runs"):
        opened(tmp_path)
    opened(tmp_path).__exit__()


def test_a_ledger_that_is_none_any_more_is_named(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"not a ledger" * 1000)
    with pytest.raises(StoreError, match=r"ledger\.sqlite3 cannot be used as a ledger"):
        opened(tmp_path)


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    opened(tmp_path / "bucket").__exit__()
    assert (tmp_path / "bucket").stat().st_mode & 0o077 == 0


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_mover_ledger import opened, written
ledger = opened(Path(sys.argv[1]))
at = 0
while True:
    keys = [f"k{at:05}-{each}" for each in range(10)]
    ledger.intend(keys)
    ledger.record_written([written(key) for key in keys], done=keys)
    at += 1
    print(at, flush=True)
"""


def test_a_killed_process_leaves_whole_batches(tmp_path: Path) -> None:
    here = Path(__file__).parent
    command = [sys.executable, "-c", WRITER, str(tmp_path), str(here), str(here.parents[2])]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    done = 0
    for line in running.stdout:
        done = int(line)
        if done == 20:
            break
    os.kill(running.pid, signal.SIGKILL)
    running.stdout.close()
    running.wait()
    with opened(tmp_path) as ledger:
        found = [key for key, _ in ledger.group_by_key()]
    assert len(found) >= done * 10
    assert len(found) % 10 == 0
