from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from accept_scene import meta, record

from operations.acceptance.result_store import ResultStore, build_results, merge_records, read_records, runs, store_of
from planning.values.errors import InputError


def mine() -> Any:
    return record()


def other(**more: Any) -> Any:
    return record(subject="node/gpu-1", **more)


def test_records_come_back_in_order_and_runs_are_listed(tmp_path: Path) -> None:
    store = store_of(tmp_path, "first")
    assert store.read_records() == []
    store.append([mine()])
    store.append([])
    store.append([other()])
    store.write_meta(meta())
    assert store.read_records() == [record(), other()]
    assert store.read_meta() == meta()
    assert runs(tmp_path) == ("first",)
    assert store.results == tmp_path / "acceptance/first/results.jsonl"


def test_a_line_that_a_kill_cut_off_is_forgotten_and_written_over(tmp_path: Path) -> None:
    store = store_of(tmp_path, "first")
    store.append([mine()])
    with store.results.open("a") as file:
        file.write('{"check": "mat')
    assert store.read_records() == [mine()]
    store.append([other()])
    assert store.read_records() == [record(), other()]
    assert "mat\n" not in store.results.read_text()


def test_a_line_that_is_no_record_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(record()) + "\n\nnonsense\n" + json.dumps(record(check="speed")) + "\n")
    with pytest.raises(InputError, match="2 lines are no records") as told:
        read_records(path)
    assert [(each.file, each.line) for each in told.value.faults] == [(str(path), 3), (str(path), 4)]
    assert "not JSON" in told.value.faults[0].message
    assert "'speed'" in told.value.faults[1].message


def test_a_file_given_by_hand_is_read_to_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(record()))
    assert read_records(path) == [mine()]
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a text file"):
        read_records(path)
    with pytest.raises(InputError, match="no such file"):
        read_records(tmp_path / "missing")


def test_runs_are_merged_without_saying_a_thing_twice() -> None:
    late: Any = record(at="2026-11-22T10:00:00+00:00")
    early: Any = [record(), other(at="2026-11-22T08:00:00+00:00")]
    found = merge_records([[late], early, early])
    assert found == [early[1], early[0], late]
    results = build_results(replace(meta(), started=""), found)
    assert (results["started"], results["ended"]) == ("2026-11-22T08:00:00+00:00", "2026-11-22T10:00:00+00:00")
    assert results["stack"] == "demo"


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "a" * 21, "a-"])
def test_what_cannot_be_in_a_name_of_the_cluster_names_no_run(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot name a run"):
        store_of(tmp_path, name)


def test_two_at_once_do_not_write_one_run(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "run")
    with (
        store.lock(),
        pytest.raises(InputError, match="being written by another"),
        ResultStore(tmp_path / "run").lock(),
    ):
        pass
    with store.lock():
        assert store.folder.is_dir()


@pytest.mark.parametrize("text", ["", "[]", '{"run": "x"}'])
def test_a_run_whose_meta_is_broken_says_so(tmp_path: Path, text: str) -> None:
    store = ResultStore(tmp_path)
    (tmp_path / "meta.json").write_text(text)
    with pytest.raises(InputError, match=r"meta\.json"):
        store.read_meta()
