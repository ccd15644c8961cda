from __future__ import annotations

import json
from typing import Any

import pytest
from accept_scene import record
from hypothesis import given
from hypothesis import strategies as st

from operations.acceptance.records import MOST_BYTES, MeasurementRecordError, parse, to_line
from planning.agents.measurement_records import CHECKS


def line(**more: Any) -> str:
    return json.dumps(record(**more))


def test_a_record_is_read_as_it_was_written() -> None:
    found = parse(line())
    assert parse(to_line(found)) == found == record()
    assert to_line(found).count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"check": "matmul", "check": "dcgm"}', "a key twice"),
        ("[" * 200_000, "longer than"),
        ("[" * 60_000, "not|nested"),
        ('{"check": "matmul"}', "without at, failed, params, readings, subject, tool"),
        (line(forged=1), "with forged"),
        (line(check="speed"), "check 'speed' is none of"),
        (line(subject="pool/gpu"), "subject 'pool/gpu' is not node/NAME"),
        (line(subject="node/\x1b[31m"), "is not node/NAME"),
        (line(at="yesterday"), "no time of UTC"),
        (line(at="2026-11-22T09:10:00"), "no time of UTC"),
        (line(at="2026-11-22T09:10:00+02:00"), "no time of UTC"),
        (line(tool=7), "tool is no text"),
        (line(tool="\ud800"), "tool is no text"),
        (line(failed="broken"), "failed is no list"),
        (line(failed=["x"] * 300), "more than 200 sentences"),
        (line(params={"nodes": 4}), "'nodes' is no text"),
        (line(readings=[{"name": "tflops", "value": "1", "unit": "GB/s"}]), "tflops is in 'TFLOPS', not 'GB/s'"),
        (line(readings=[{"name": "speed", "value": "1", "unit": ""}]), "matmul has no reading 'speed'"),
        (line(readings=[{"name": "tflops", "value": "1"}]), "a reading has name, value and unit"),
        (line(readings=[{"name": "tflops", "value": "1", "unit": "TFLOPS"}] * 2), "a reading twice"),
    ],
)
def test_what_is_no_record_is_refused_with_its_reason(text: str, words: str) -> None:
    with pytest.raises(MeasurementRecordError, match=words):
        parse(text)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1", "1e400000", "fast", 7, None, "1" * 50])
def test_amounts_are_those_that_a_machine_can_have(value: object) -> None:
    readings = [{"name": "tflops", "value": value, "unit": "TFLOPS"}]
    with pytest.raises(MeasurementRecordError, match="is no amount"):
        parse(line(readings=readings))


def test_every_fault_of_a_record_is_told_at_once() -> None:
    with pytest.raises(MeasurementRecordError, match=r"subject .*; at .*; tool is no text"):
        parse(line(subject="", at="", tool=None))


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda each: each.decode("latin-1")))
def test_nothing_that_a_pod_writes_breaks_the_reader(text: str) -> None:
    with pytest.raises(MeasurementRecordError, match=r"\w"):
        parse("{" + text)


@given(
    check=st.sampled_from(CHECKS),
    amount=st.decimals(min_value=0, max_value=10**9, places=3, allow_nan=False),
    tool=st.text(st.characters(exclude_categories=("Cs",)), max_size=60),
)
def test_any_honest_record_comes_through(check: Any, amount: Any, tool: str) -> None:
    readings = [{"name": name, "value": str(amount), "unit": unit} for name, unit in check.readings.items()]
    found: Any = record(check.id, f"{check.per}/some-1", readings=readings, tool=tool)
    text = to_line(found)
    assert parse(text) == found
    assert len(text) < MOST_BYTES
