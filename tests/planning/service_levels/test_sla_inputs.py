"""Samples that are wrong, strange or missing."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sla_samples import CONTROL, FABRIC, OCTOBER, recorded, reported, runs

from operations.service_levels.monthly_report import read_samples
from planning.service_levels.month import Month, parse_month, refuse_untimely
from planning.service_levels.series import Name, RecordedSeries, SampleError, SeriesSegment, merge_segments
from planning.service_levels.series_sources import read_answers, read_runs
from planning.values.errors import InputError

START = OCTOBER.start
HEAD = "series,of,from,until,value\n"


def answer(*series: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "matrix", "result": list(series)}, **changes}


def control(*values: Any, name: str = "atoll:control_plane_up", **labels: str) -> dict[str, Any]:
    return {"metric": {"__name__": name, **labels}, "values": [list(each) for each in values]}


def minutes(*values: str) -> list[tuple[int, str]]:
    return [(START + 60 * at, value) for at, value in enumerate(values)]


def refused(*answers: object) -> str:
    with pytest.raises(InputError) as caught:
        read_answers(answers, file="prom.json")
    return str(caught.value)


def test_an_answer_becomes_runs() -> None:
    found = read_answers([answer(control(*minutes("1", "1", "0", "1")))], file="prom.json")
    assert [(run.end - run.start, run.value) for run in found.of(CONTROL)] == [(120, 1), (60, 0), (60, 1)]
    assert found.step_seconds == 60


def test_a_missing_sample_is_a_gap_and_not_the_value_before_it() -> None:
    values = minutes(*"1" * 10)
    found = read_answers([answer(control(*values[:4], *values[6:]))], file="prom.json")
    assert [(run.start - START, run.end - START) for run in found.of(CONTROL)] == [(0, 240), (360, 600)]


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-Inf"])
def test_a_value_that_is_no_number_is_not_known_and_told_of(value: str) -> None:
    found = read_answers([answer(control(*minutes("1", value, "1", "1")))], file="prom.json")
    assert [(run.start - START, run.end - START) for run in found.of(CONTROL)] == [(0, 60), (120, 240)]
    assert found.notes == ("atoll:control_plane_up: 1 samples are no number (NaN or infinite) and count as not known",)


def test_chunks_may_overlap_and_come_in_any_order() -> None:
    values = minutes(*"1101101111")
    chunks = [answer(control(*values[4:])), answer(control(*reversed(values[:6])))]
    whole = read_answers([answer(control(*values))], file="prom.json")
    assert read_answers(chunks, file="prom.json") == whole


def test_two_values_for_one_moment_are_refused() -> None:
    assert "two values for one moment, 1 and 0" in refused(answer(control((START, "1"), (START, "0"))))


def test_a_step_that_is_not_constant_is_refused() -> None:
    times = [0, 60, 120, 180, 215, 275]
    said = refused(answer(control(*((START + at, "1") for at in times))))
    assert "the step is not constant: most samples are 60 s apart" in said


def test_samples_that_are_too_far_apart_are_refused() -> None:
    assert "86400 s apart" in refused(answer(control((START, "1"), (START + 86_400, "1"))))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "no answer of Prometheus"),
        ({"status": "error", "error": "query timed out"}, "answered with an error: query timed out"),
        ({"status": "success"}, "no answer to a range query"),
        (answer() | {"data": {"resultType": "vector", "result": []}}, "no answer to a range query"),
        (answer({"metric": {}}), "without labels or without values"),
        (answer(control((START, "1"), name="atoll:fabric_up")), "without the label pool"),
        (answer(control((START, "x"))), "'x' is not a number"),
        (answer(control((START, "1e999999999"))), "is not a number"),
        (answer(control((START, "2"))), "a share lies between 0 and 1"),
        (answer(control((START, "-0.1"))), "a share lies between 0 and 1"),
        (answer(control(("then", "1"))), "a sample is a time and a value"),
        (answer(control((float("nan"), "1"))), "is no time"),
        (answer(control((START,))), "a sample is a time and a value"),
        (answer(control((START, "2.5"), name="atoll:healthy_nodes", pool="train")), "nodes are a whole number"),
        (answer(control((START, "-1"), name="atoll:owed_nodes", pool="train")), "nodes are a whole number"),
    ],
)
def test_what_is_no_answer_is_refused_with_words(given: object, said: str) -> None:
    assert said in refused(given)


def test_series_of_others_are_left_out_and_told_of() -> None:
    found = read_answers([answer(control(*minutes("1", "1"), name="up"))], file="prom.json")
    assert (found.runs, found.notes) == ({}, ("series that are not ours were left out: up",))


def test_pools_that_the_lock_does_not_have_are_of_another_stack() -> None:
    samples = RecordedSeries({**recorded().runs, Name("atoll:healthy_nodes", "other"): runs((0, 1, 1))})
    with pytest.raises(InputError, match=r'another stack, or of another lock: .*pool="other"'):
        reported(samples)


def test_runs_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(SampleError, match="two values for one moment"):
        merge_segments([*runs((0, 10, 1)), *runs((9, 12, 0))])
    assert merge_segments([*runs((0, 10, 1)), *runs((9, 12, 1))]) == runs((0, 12, 1))


def test_every_fault_of_a_file_at_once() -> None:
    rows = (
        "atoll:fabric_up,train,2026-10-01T00:00Z,2026-10-02T00:00Z,0.5",
        "atoll:fabric_up,,2026-10-01T00:00Z,2026-10-02T00:00Z,1",
        "atoll:nothing,x,2026-10-01T00:00Z,2026-10-02T00:00Z,1",
        "atoll:control_plane_up,,2026-10-02T00:00Z,2026-10-01T00:00Z,1",
        "atoll:control_plane_up,,2026-10-01T00:00,2026-10-02T00:00Z,1",
        "atoll:control_plane_up,,2026-10-01T00:00Z,2026-10-02T00:00Z,NaN",
        "atoll:control_plane_up,,2026-10-01T00:00Z,2026-10-02T00:00Z,7",
        "atoll:control_plane_up",
    )
    text = HEAD + "".join(f"{row}\n" for row in rows)
    with pytest.raises(InputError) as caught:
        read_runs(text, file="x.csv")
    assert [fault.line for fault in caught.value.faults] == [3, 4, 5, 6, 7, 8, 9]
    messages = " ".join(fault.message for fault in caught.value.faults)
    for said in ("must be the pool", "none of our series", "not after", "not a moment", "not a number", "1 cells"):
        assert said in messages


@pytest.mark.parametrize("text", ["series\n1\n", "# stack: x\n"])
def test_a_file_without_its_first_line_or_without_anything_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="fault"):
        read_runs(text, file="x.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing is in it"),
        ("<!doctype html><title>Sign in</title>", "a web page, not samples"),
        ("{", "not JSON"),
        (f"# stack: other\n{HEAD}", "is of the stack other, not of lagoon"),
        (f"# month: 2026-09\n{HEAD}", "is of 2026-09, not of 2026-10"),
        (HEAD, "nothing in it is of 2026-10"),
        (HEAD + "atoll:control_plane_up,,2026-09-01T00:00Z,2026-10-01T00:00Z,1", "nothing in it is of 2026-10"),
    ],
)
def test_files_that_are_not_what_was_asked_for(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "samples"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_samples([path], stack="lagoon", month=OCTOBER)
    assert said in str(caught.value)


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    reasons = {tmp_path / "missing.csv": "there is no such file", tmp_path: "a folder", binary: "not a text file"}
    for path, reason in reasons.items():
        with pytest.raises(InputError, match=reason):
            read_samples([path], stack="lagoon", month=OCTOBER)


def test_weeks_of_a_month_are_put_together_and_contradictions_refused(tmp_path: Path) -> None:
    one, two, wrong = (tmp_path / name for name in ("1.json", "2.csv", "3.csv"))
    one.write_text(json.dumps([answer(control(*minutes(*"11110")))]))
    two.write_text(HEAD + "atoll:control_plane_up,,2026-10-01T00:05Z,2026-10-02T00:00Z,1\n")
    wrong.write_text(HEAD + "atoll:control_plane_up,,2026-10-01T00:00Z,2026-10-02T00:00Z,1\n")
    found = read_samples([one, two], stack="lagoon", month=OCTOBER)
    assert [run.value for run in found.of(CONTROL)] == [1, 0, 1]
    with pytest.raises(InputError, match="two values for one moment"):
        read_samples([one, two, wrong], stack="lagoon", month=OCTOBER)


@pytest.mark.parametrize("text", ["2026-13", "2026-00", "26-10", "2026-1", "October", "2026-10-01", "1999-10", ""])
def test_what_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a month"):
        parse_month(text)


def test_months_have_their_own_length() -> None:
    hours = {str(month): month.seconds / 3600 for month in (Month(2026, 2), Month(2028, 2), Month(2026, 12))}
    assert hours == {"2026-02": 672, "2028-02": 696, "2026-12": 744}
    assert Month(2026, 12).next == Month(2027, 1)


def test_a_month_to_come_or_before_the_work_began_is_refused() -> None:
    with pytest.raises(InputError, match="has not begun"):
        refuse_untimely(OCTOBER, today=date(2026, 9, 30), starts=None)
    with pytest.raises(InputError, match="was over before the work began"):
        refuse_untimely(OCTOBER, today=date(2026, 12, 1), starts=date(2026, 11, 1))
    refuse_untimely(OCTOBER, today=date(2026, 10, 1), starts=date(2026, 10, 31))


def test_a_value_between_runs_is_not_known() -> None:
    samples = recorded(fabric=(SeriesSegment(START, START + 60, recorded().runs[FABRIC][0].value),))
    (found,) = [each for each in reported(samples)["parts"] if each["key"] == "fabric/train"]
    assert found["hours"]["not_known"] == "743.9833"


@pytest.mark.parametrize(
    ("comments", "said", "line"),
    [
        ("# step_seconds: sixty", "step_seconds 'sixty' is not a whole number of seconds", 1),
        ("# stack: demo\n# step_seconds: 60s", "step_seconds '60s' is not a whole number", 2),
        ("# step_seconds:", "step_seconds '' is not a whole number", 1),
        ("# step_seconds: 60.5", "step_seconds '60.5' is not a whole number", 1),
        ("# step_seconds: -60", "step_seconds '-60' is not a whole number", 1),
        ("# step_seconds: \u00b2", "is not a whole number", 1),
        ("# step_seconds: 7200", "samples 7200 s apart: outages of an hour would not be seen", 1),
        ("# step_seconds: 60\n# step_seconds: 300", "step_seconds is given twice, as 60 and as 300", 2),
        ("# stack: demo\n# stack: other", "stack is given twice, as demo and as other", 2),
    ],
)
def test_what_a_comment_says_is_understood_or_refused(comments: str, said: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_runs(f"{comments}\n{HEAD}", file="samples.csv")
    (fault,) = caught.value.faults
    assert said in fault.message
    assert (fault.file, fault.line) == ("samples.csv", line)


@pytest.mark.parametrize(("step", "warned"), [(0, False), (60, False), (61, True), (300, True), (3600, True)])
def test_samples_further_apart_than_a_minute_are_said_to_miss_what_is_shorter(step: int, warned: bool) -> None:
    notes = reported(RecordedSeries(recorded().runs, step_seconds=step))["notes"]
    assert [note for note in notes if f"samples are {step} seconds apart" in note] == (notes if warned else [])
    assert bool(notes) == warned
