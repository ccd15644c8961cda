"""Files are written whole or not at all, several of them all or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from driver import writing
from driver.writing import write_all


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

    monkeypatch.setattr(writing.os, "fsync", second_stops)
    with pytest.raises(type(fault)):
        write_all({tmp_path / "one": "new", tmp_path / "folder" / "two": "new"})
    assert everything(tmp_path) == {"one": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_a_fault_without_a_name_gets_the_name_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_all({tmp_path / "one": "new"})
    assert caught.value.filename == str(tmp_path / "one")
