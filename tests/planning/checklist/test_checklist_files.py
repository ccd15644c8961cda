"""Files that hold no checklist, and the one that does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planning.checklist.reading.checklist_file import MAX_BYTES, MAX_FAULTS, read, read_file
from planning.inputs.yaml_nodes import MAX_VALUES
from planning.values.errors import InputError

DEMO = Path(__file__).parents[3] / "stacks" / "demo" / "checklist.yaml"


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_file(path)
    return caught.value


def test_the_demo_is_read_from_its_file() -> None:
    assert read_file(DEMO).customer.name == "lagoon-labs"


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + DEMO.read_bytes().replace(b"\n", b"\r\n"))
    assert read_file(path) == read_file(DEMO)


def test_a_missing_file_is_said_by_name(tmp_path: Path) -> None:
    error = refused(tmp_path / "nowhere.yaml")
    assert "nowhere.yaml: there is no such file" in str(error)
    assert "atoll init" in error.hint


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    assert "this is a folder" in str(refused(tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_said(tmp_path: Path) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text("")
    path.chmod(0)
    assert "no permission" in str(refused(path))


def test_a_path_through_a_file_is_said_in_the_systems_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "Not a directory" in str(refused(tmp_path / "file" / "checklist.yaml"))


def test_ten_megabytes_are_refused_unparsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planning.inputs.yaml_document.compose", lambda _: pytest.fail("parsed"))
    path = tmp_path / "huge.yaml"
    path.write_bytes(b"a: 1\n" * 2_000_000)
    assert "over 1 MB" in str(refused(path))


def test_a_text_over_the_limit_is_refused_too() -> None:
    with pytest.raises(InputError, match="over 1 MB"):
        read("#" * (MAX_BYTES + 1), file="long.yaml")


@pytest.mark.parametrize(("content", "line"), [(b"a: 1\nb: \xff\xfe\n", 2), (b"\x80", 1)])
def test_bytes_that_are_not_text_name_their_line(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "binary.yaml"
    path.write_bytes(content)
    error = refused(path)
    assert error.faults[0].line == line
    assert "UTF-8" in error.faults[0].message


@pytest.mark.parametrize(
    ("text", "line", "column"), [("a: 1\nbc\0d", 2, 3), ("\x1b[0m", 1, 1), ("a: \ud800", 1, 4), ("a:\n\x07", 2, 1)]
)
def test_a_character_that_is_not_text_has_a_place(text: str, line: int, column: int) -> None:
    with pytest.raises(InputError) as caught:
        read(text, file="odd.yaml")
    assert [(fault.line, fault.column) for fault in caught.value.faults] == [(line, column)]


def test_more_faults_than_anyone_reads_are_cut() -> None:
    with pytest.raises(InputError, match="100 faults or more") as caught:
        read("\n".join(f"unknown{at}: 1" for at in range(500)), file="many.yaml")
    assert len(caught.value.faults) == MAX_FAULTS


def test_too_many_values_end_the_reading() -> None:
    with pytest.raises(InputError) as caught:
        read(f"workloads: [{'1,' * (MAX_VALUES + 1)}]", file="many.yaml")
    assert any(str(MAX_VALUES) in fault.message for fault in caught.value.faults)


def test_a_very_long_line_is_not_repeated_whole() -> None:
    with pytest.raises(InputError) as caught:
        read(f"customer: {{name: {'x' * 5000}}}", file="wide.yaml")
    assert all(len(fault.source_line) <= 200 for fault in caught.value.faults)
    assert all(len(fault.message) <= 200 for fault in caught.value.faults)


def test_every_fault_has_a_place_a_path_and_the_files_name() -> None:
    with pytest.raises(InputError) as caught:
        read("customer: {}\nworkloads: []\n", file="stacks/acme/checklist.yaml")
    assert {fault.file for fault in caught.value.faults} == {"stacks/acme/checklist.yaml"}
    assert [fault.path for fault in caught.value.faults] == ["customer.name", "customer.owner", "workloads"]
    assert all(fault.line for fault in caught.value.faults)
