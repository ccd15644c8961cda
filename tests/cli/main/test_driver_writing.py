"""Files are written whole or not at all, several of them all or none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from operations.project import atomic_files
from operations.project.atomic_files import write_all


def everything(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


def test_new_files_and_folders_are_made(tmp_path: Path) -> None:
    write_all({tmp_path / "a" / "b" / "one": "1\n", tmp_path / "two": "2\n"})
    assert everything(tmp_path) == {"a/b/one": "1\n", "two": "2\n"}


def test_a_written_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    write_all({path: "new", tmp_path / "two": "new"})
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "two").stat().st_mode & 0o777 == 0o644


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    write_all({tmp_path / "link": "new"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text("utf-8") == "new"


def test_a_failing_second_rename_puts_the_first_file_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").write_text("old", encoding="utf-8")
    replace, calls = Path.replace, list[Path]()

    def second_fails(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 2:
            raise PermissionError(13, "Permission denied", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", second_fails)
    with pytest.raises(PermissionError):
        write_all({tmp_path / "one": "new", tmp_path / "two": "new"})
    assert everything(tmp_path) == {"one": "old"}


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_whatever_stops_the_writing_nothing_is_left_of_it(
    fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one").write_text("old", encoding="utf-8")
    calls = list[int]()

    def second_stops(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 2:
            raise fault

    monkeypatch.setattr(atomic_files.os, "fsync", second_stops)
    with pytest.raises(type(fault)):
        write_all({tmp_path / "one": "new", tmp_path / "folder" / "two": "new"})
    assert everything(tmp_path) == {"one": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_a_fault_without_a_name_gets_the_name_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_all({tmp_path / "one": "new"})
    assert caught.value.filename == str(tmp_path / "one")


FOREVER_S = 600.0  # however busy the machine is
SLOW = """
import os, signal, sys, time
from pathlib import Path
from operations.project import atomic_files as writing
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored, and what is ignored is inherited
folder, sync = Path(sys.argv[1]), os.fsync
def slow(handle):
    (folder / "begun").touch()
    time.sleep(float(sys.argv[2]))
    sync(handle)
os.fsync = slow
writing.write_all({folder / "one": "new", folder / "two": "new"}, private=True)
time.sleep(600)
"""


def writes(folder: Path, *, pause_s: float) -> list[str]:
    """A command that pauses before what it wrote is safe, and stays when it is."""
    return [sys.executable, "-c", SLOW, str(folder), str(pause_s)]


def stopped_while_writing(folder: Path, number: int) -> int:
    """What a process ends with that is sent a signal while it writes; nothing but a kill keeps it from ending that."""
    pause_s = FOREVER_S if number == signal.SIGKILL else 0.5
    with subprocess.Popen(writes(folder, pause_s=pause_s), stderr=subprocess.PIPE) as process:
        while not (folder / "begun").exists() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(number)
        _, said = process.communicate(timeout=300)
    (folder / "begun").unlink()
    assert said == b""
    return process.returncode


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_process_leaves_everything_in_place(number: int, tmp_path: Path) -> None:
    assert stopped_while_writing(tmp_path, number) == -number
    assert everything(tmp_path) == {"one": "new", "two": "new"}


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    assert stopped_while_writing(tmp_path, signal.SIGKILL) == -signal.SIGKILL
    (tmp_path / ".other.abc.new").write_text("of another file", encoding="utf-8")
    assert [path.name.endswith(".new") for path in tmp_path.iterdir()] == [True, True]
    write_all({tmp_path / "one": "newer"})
    assert everything(tmp_path) == {"one": "newer", ".other.abc.new": "of another file"}


def test_what_a_living_process_writes_is_left_to_it(tmp_path: Path) -> None:
    with subprocess.Popen(writes(tmp_path, pause_s=FOREVER_S)) as process:
        while not (tmp_path / "begun").exists() and process.poll() is None:
            time.sleep(0.02)
        atomic_files.remove_abandoned(tmp_path / "one")
        assert len(list(tmp_path.glob(".one.*.new"))) == 1
        process.kill()


@pytest.mark.parametrize("name", ["[a]", "*", "??", "a.b"])
def test_a_name_is_no_pattern(name: str, tmp_path: Path) -> None:
    (tmp_path / ".a.0.new").touch()
    (tmp_path / f".{name}.0.new").touch()
    write_all({tmp_path / name: "1"})
    assert everything(tmp_path) == {name: "1", ".a.0.new": ""}


def test_a_folder_that_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".site.0.new" / "docs").mkdir(parents=True)
    with atomic_files.folder_beside(tmp_path / "site") as staged:
        assert [path.name for path in tmp_path.iterdir()] == [staged.name]
        assert staged.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []


def test_what_is_private_is_for_its_owner_alone(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        write_all({tmp_path / "one": "secret"}, private=True)
    finally:
        os.umask(mask)
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
