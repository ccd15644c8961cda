"""JSON with bounds: what it refuses, and where it says that the fault is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operations.project.stack_config import reservations
from planning.inputs.files import MAX_JSON_DEPTH, parse_json, read_json, read_text
from planning.inputs.rows import open_lines
from planning.inputs.yaml_document import parse_fields
from planning.values.errors import InputError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=20,
)


@settings(derandomize=True, max_examples=200)
@given(value=VALUES)
def test_what_json_can_say_comes_back(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
        assert parse_json(text, file="x") == value
        assert parse_json(text.encode("utf-16"), file="x") == value


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{\n"a": 1e400}', 2, "1e400 is larger than any number that a computer counts with"),
        ('{\n\n"a": -Infinity}', 3, "-Infinity is no JSON"),
        ('["NaN",\n NaN]', 2, "NaN is no JSON"),
        (f"[1,\n\n{'7' * 4301}]", 3, "a number of 4,301 digits"),
        (f"[1,\n0.{'7' * 4301}]", 2, "a number of 4,303 digits"),
        ('{"a": 1,\n"a": 2}', 0, "the key 'a' stands twice in one object"),
        ('["\\ud83d\\ude00",\n "\\udc00"]', 2, "half a character (a lone surrogate)"),
        ("[" * (MAX_JSON_DEPTH + 2) + "]" * (MAX_JSON_DEPTH + 2), 0, "nested deeper than 100 levels"),
        ("[" * 200_000, 0, "nested deeper than 100 levels"),
        ("[1,\n2", 2, "it ends before it is complete"),
        ("[1,\nx]", 2, "Expecting value"),
    ],
)
def test_the_fault_and_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_json(text, file="x.json")
    assert [(each.line, each.message) for each in refused.value.faults] == [(line, message)]


def test_a_depth_that_is_allowed_is_read() -> None:
    assert parse_json("[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH, file="x")


def test_objects_may_be_made_smaller_while_they_are_read() -> None:
    assert parse_json('[{"a": [1, 2]}, {"a": [3]}]', file="x", each_object=len) == [1, 1]


def test_a_value_of_the_configuration_is_bounded_too() -> None:
    for text in ("[" * 100_000, "9" * 4301, '{"a": NaN}', "3"):
        with pytest.raises(InputError, match="must map pool names to reservation ids"):
            reservations({"atoll:capacityReservations": text})


def test_a_yaml_file_keeps_numbers_as_they_are_written() -> None:
    assert parse_fields('a: 1.10\nb: 2026-11-22\nc: true\nd: "x"\n', file="x") == {
        "a": "1.10",
        "b": "2026-11-22",
        "c": True,
        "d": "x",
    }
    assert parse_fields("# nothing\n", file="x") == {}
    for text in ("[1]", "a: &b 1", "a: !!set {b}", "a: *b", "a: 1\na: 2"):
        with pytest.raises(InputError) as refused:
            parse_fields(text, file="x")
        assert refused.value.faults[0].line


def test_a_pipe_of_the_shell_is_read_like_a_file(tmp_path: Path) -> None:
    ends = os.pipe()
    threading.Thread(target=lambda: (os.write(ends[1], b'{"a": 1}'), os.close(ends[1]))).start()
    try:
        assert read_json(Path(f"/dev/fd/{ends[0]}")) == {"a": 1}
    finally:
        os.close(ends[0])
    path = tmp_path / "words.txt"
    path.write_text("one\n")
    assert read_text(path) == "one\n"


def test_lines_say_their_number(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb")
    with open_lines(path) as lines:
        assert [(lines.number, each) for each in lines] == [(1, "a\r\n"), (2, "b")]


def test_a_bomb_is_refused_in_little_memory(tmp_path: Path) -> None:
    """In a process that may take 600 MB of addresses, as none of the readers before could."""
    program = (
        "import gzip, resource, sys; from pathlib import Path; from operations.usage.bill_files import rows\n"
        "from planning.values.errors import InputError\n"
        "path = Path(sys.argv[1])\n"
        "with gzip.open(path, 'wb') as file:\n"
        "    [file.write(bytes(10**6)) for _ in range(200)]\n"
        "resource.setrlimit(resource.RLIMIT_AS, (6 * 10**8, 6 * 10**8))\n"
        "try:\n    list(rows(path, tag=None))\n"
        "except InputError as error:\n    print(error.faults[0].message)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.csv.gz")],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3], timeout=300,
    )  # fmt: skip
    assert found.stdout == "a row of more than 1 MiB\n"
