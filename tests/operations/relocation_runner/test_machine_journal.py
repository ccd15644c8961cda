from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_scene import Clock

from operations.project.journal import HEAD, NAME, Journal, RecordKind, read_journal
from operations.relocation.runner.context import JournalMemory
from planning.values.errors import InputError, in_one_line


def written(folder: Path, lines: int = 5) -> Path:
    journal = Journal(folder / NAME, now=Clock())
    for number in range(lines):
        journal.append(RecordKind.REMEMBERED, content={"key": f"k{number}", "value": number})
    journal.close()
    return folder / NAME


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as refused:
        read_journal(path)
    return in_one_line(refused.value)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    found = read_journal(written(tmp_path))
    assert [each.content["value"] for each in found.records] == [0, 1, 2, 3, 4]
    assert not found.torn
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_only_its_owner_reads_the_head(tmp_path: Path) -> None:
    assert written(tmp_path).with_name(HEAD).stat().st_mode & 0o777 == 0o600


def test_a_torn_last_line_is_dropped_and_said(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"seq":6,"previous":"ab')
    assert read_journal(path).torn
    journal = Journal(path, now=Clock())
    assert journal.torn
    assert path.read_bytes() == whole
    assert journal.append(RecordKind.BEGUN, step="seed").seq == 6
    journal.close()
    assert len(read_journal(path).records) == 6


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes() + b"{")
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    read_journal(path)
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_a_line_whose_head_was_not_yet_written_counts(tmp_path: Path) -> None:
    path = written(tmp_path, 4)
    head = path.with_name(HEAD).read_bytes()
    journal = Journal(path, now=Clock())
    journal.append(RecordKind.BEGUN, step="seed")
    journal.close()
    path.with_name(HEAD).write_bytes(head)
    assert len(read_journal(path).records) == 5


def test_a_journal_cut_at_the_end_of_a_line_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert "line 5: journal truncated: 5 lines were written, 4 are whole" in refusal(path)


def test_a_journal_cut_in_its_last_line_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes()[:-3])
    assert "4 are whole, line 5 in its middle" in refusal(path)


def test_a_journal_that_is_gone_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.unlink()
    assert "5 lines were written, 0 are whole" in refusal(path)
    with pytest.raises(InputError):
        Journal(path, now=Clock())
    assert not path.exists()


def test_an_edited_line_is_refused_by_number(tmp_path: Path) -> None:
    for number in range(1, 6):
        path = written(tmp_path / str(number) if (tmp_path / str(number)).mkdir() is None else tmp_path)
        lines = path.read_text().splitlines(keepends=True)
        lines[number - 1] = lines[number - 1].replace('"value":', '"value":1')
        path.write_text("".join(lines))
        assert f"line {number}: it is not what was written" in refusal(path)


def test_a_line_that_is_taken_out_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2] + lines[3:]))
    assert "line 3: record 3 is missing, 4 stands in its place" in refusal(path)


def test_a_line_that_is_no_record_is_refused(tmp_path: Path) -> None:
    for words in ("[]", "{}", "null", '{"seq":true}', "", "\x00\x00", '{"seq":3,"kind":"other"}'):
        folder = tmp_path / str(abs(hash(words)))
        folder.mkdir()
        path = written(folder)
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines[:2], words, *lines[3:]]) + "\n")
        assert "line 3: it is no record of a journal" in refusal(path)


def test_a_head_that_is_missing_is_asked_for_with_what_it_holds(tmp_path: Path) -> None:
    path = written(tmp_path)
    head = path.with_name(HEAD)
    was = json.loads(head.read_text())
    head.unlink()
    assert json.dumps(was) in refusal(path)


def test_a_head_that_is_none_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    for words in ("", "[]", '{"seq":0,"hash":""}', '{"seq":"1","hash":""}', '{"seq":2}'):
        path.with_name(HEAD).write_text(words)
        assert "no head of a journal" in refusal(path)


@settings(max_examples=150)
@given(st.data())
def test_no_change_of_a_byte_goes_unseen(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = written(tmp_path_factory.mktemp("journal"), 3)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[at]))
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_journal(path)
    shutil.rmtree(path.parent)


def test_a_line_is_whole_or_not_there_where_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    journal = Journal(path, now=Clock())
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda file, content: write(file, content[:10]))
        with pytest.raises(OSError, match="No space left"):
            journal.append(RecordKind.BEGUN, step="seed")
    assert path.read_bytes() == before
    assert journal.append(RecordKind.BEGUN, step="seed").seq == 6
    journal.close()
    assert len(read_journal(path).records) == 6


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_signal_within_a_write_breaks_no_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    journal = Journal(tmp_path / NAME, now=Clock())
    journal.append(RecordKind.BEGUN, step="seed")

    def stopped(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os if call == "fsync" else Path, call, stopped)
        with pytest.raises(KeyboardInterrupt):
            journal.append(RecordKind.DONE, step="seed")
    journal.append(RecordKind.BEGUN, step="deltas")
    journal.close()
    assert [each.kind for each in read_journal(journal.path).records] == [
        RecordKind.BEGUN,
        RecordKind.DONE,
        RecordKind.BEGUN,
    ]


def test_the_first_word_counts_until_the_next_roll_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path / NAME, now=Clock())
    memory = JournalMemory(journal)
    assert memory.recall("replicas") is None
    assert memory.remember("replicas", {"notebook": 1}) == {"notebook": 1}
    assert memory.remember("replicas", {"notebook": 0}) == {"notebook": 1}
    journal.append(RecordKind.ROLLED_BACK)
    assert memory.recall("replicas") is None
    assert memory.remember("replicas", (1, 2)) == [1, 2]
    journal.close()
    assert JournalMemory(Journal(tmp_path / NAME, now=Clock())).recall("replicas") == [1, 2]


def test_nothing_but_json_is_remembered_and_no_secret(tmp_path: Path) -> None:
    journal = Journal(tmp_path / NAME, now=Clock())
    memory = JournalMemory(journal, secrets=["hunter2-hunter2"])
    for value in (Path("x"), {"key": ["hunter2-hunter2"]}, {"hunter2-hunter2": 1}, float("nan")):
        with pytest.raises(ValueError, match=r"JSON|secret|nan"):
            memory.remember("key", value)
    assert not journal.records
    journal.close()
