"""Files that nobody honest writes: refused with their name and the place, never a traceback and never a figure."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from accept_scene import meta, record
from accept_sold import asked_of

from cli.pages.documents.rendering import render_markdown
from cli.pages.reports import acceptance_page as page
from operations.acceptance.request import load_results
from operations.acceptance.result_store import ResultStore
from planning.acceptance.report.document import document
from planning.values.errors import InputError, in_one_line

STACK = "pretrain-7b"
FAR = [record(at="0001-01-01T00:00:00+00:00"), record(at="9999-12-31T23:59:59+00:00")]
SHARE: dict[str, Any] = {
    "check": "loader",
    "subject": "tier/home/warm",
    "readings": [{"name": "read", "value": "1", "unit": "MB/s"}],
}


def results(*records: Any, **more: Any) -> dict[str, Any]:
    option = asked_of(STACK, Path()).lock.option
    times = {"started": "2026-11-22T09:00:00+00:00", "ended": "2026-11-22T10:00:00+00:00"}
    return {"schema_version": 1, "stack": STACK, "option": option, **times, "measured": list(records), **more}


def text_of(whole: dict[str, Any]) -> str:
    return json.dumps(whole)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "nested deeper"),
        ('{"a":' * 100_000, "nested deeper"),
        ('{"schema_version": ' + "9" * 5000 + "}", "a number of 5,000 digits"),
        (text_of(results())[:-1] + ', "stack": "another"}', "stands twice in one object"),
        (text_of(results(started="yesterday")), "no time with its zone"),
        (text_of(results(ended="2026-11-22T10:00:00")), "no time with its zone"),
        (text_of(results(record(tool="\ud800"))), "half a character"),
        (text_of(results(record(readings=[{"name": "tflops", "value": "NaN", "unit": "TFLOPS"}]))), "is no amount"),
        (text_of(results(record(readings=[{"name": "tflops", "value": "1e999", "unit": "TFLOPS"}]))), "is no amount"),
        (text_of(results(record(**SHARE, params={"nodes": "9" * 5000, "node": "a"}))), "measured.0: params"),
        (text_of(results(record(subject="node/../../etc\n"))), "is not node/NAME"),
    ],
)
def test_a_document_is_refused_where_it_is_wrong(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "given.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_results([path], asked_of(STACK, tmp_path))
    assert "given.json" in str(refused.value)
    assert words in in_one_line(refused.value)


def test_a_report_about_another_lock_is_not_told_again_for_this_one(tmp_path: Path) -> None:
    path, it = tmp_path / "report.json", asked_of(STACK, tmp_path)
    found: dict[str, Any] = {"document": "atoll acceptance", "lock_digest": it.digest, "results": results(record())}
    path.write_text(json.dumps(found), encoding="utf-8")
    assert len(load_results([path], it)[0]["measured"]) == 1
    path.write_text(json.dumps({**found, "lock_digest": "sha256:" + "1" * 64}), encoding="utf-8")
    with pytest.raises(InputError, match="was measured for another lock"):
        load_results([path], it)


@pytest.mark.parametrize(
    "records", [FAR, [record(**SHARE, params={"nodes": "²", "node": "a"})]], ids=["far times", "strange digits"]
)
def test_what_is_read_and_odd_breaks_no_report(records: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "given.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    it = asked_of(STACK, tmp_path)
    found, unfinished = load_results([path], it)
    form = it.build_form(found, unfinished=unfinished)
    assert form["outcome"] == "missing"
    assert page(document(form, sources=it.sources), form)


def test_records_that_name_no_stack_are_told_of_and_nobody_signs_for_them(tmp_path: Path) -> None:
    it, bare = asked_of(STACK, tmp_path), tmp_path / "results.jsonl"
    bare.write_text(json.dumps(record()) + "\n", encoding="utf-8")
    said = f"{bare} does not say of which stack it is"
    found, told = load_results([bare], it)
    assert told == [said]
    text = render_markdown(document(it.build_form(found, unfinished=told), sources=it.sources))
    assert "does not say of which stack it is" in text.partition("Undetermined checks")[2]
    with pytest.raises(InputError, match="such results cannot be signed") as refused:
        load_results([tmp_path], it, to_sign=True)
    assert said in str(refused.value)
    assert f"--from {it.folder}/acceptance/RUN" in refused.value.hint
    mine = replace(meta(), stack=STACK, option=it.lock.option, lock_digest=it.digest, failed=("job-1: slow",))
    ResultStore(tmp_path).write_meta(mine)
    assert load_results([bare], it, to_sign=True) == (load_results([bare], it)[0], ["job-1: slow"])
    other = tmp_path / "sent" / "taken.jsonl"
    other.parent.mkdir()
    other.write_text(bare.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"taken\.jsonl does not say of which stack it is: such results cannot be signed"
    ):
        load_results([bare, other], it, to_sign=True)


@pytest.mark.parametrize("more", [{"started": "once"}, {"started": ""}, {"ended": "2026-11-22"}])
def test_a_run_that_does_not_say_when_it_was_is_refused(more: dict[str, str], tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.write_meta(meta(**more))
    with pytest.raises(InputError, match="does not say when the run was"):
        store.read_meta()
