"""Each format, fed with what is almost one of its files: read, or refused in words; nothing else."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from input_formats import FORMATS
from test_input_bounds import REFUSALS, assert_told

PIECES = [
    "\x00",
    "\x1b[2J",
    "\u202e",
    "\u200b",
    "\ufeff",
    "\\ud800",
    '"',
    "'",
    ",",
    ":",
    "-",
    "?",
    "|",
    ">",
    "#",
    "&",
    "*",
    "!",
    "%",
    "@",
    "`",
    "{",
    "}",
    "[",
    "]",
    "<<:",
    "*a",
    "&a",
    "!!set",
    "!!binary",
    "---",
    "...",
    "null",
    "~",
    "NaN",
    "-Infinity",
    "1e400",
    "-0",
    "0x1f",
    "0o17",
    "1_000",
    "12:30:45",
    "2026-11-22",
    "2026-13-45T25:61Z",
    "yes",
    ".inf",
    "true",
    "9999999999999999999999",
    "-1",
    "0.1e-5",
    "\\n",
    "\\u0000",
    "\\\\",
    "${x}",
    ";;;",
    "=cmd()",
    "../../etc",
]
EXAMPLES = 40


@st.composite
def edits(draw: st.DrawFn) -> tuple[int, str]:
    """Where of a thousand parts of a text something is put, or cut for "-"."""
    piece = st.one_of(st.sampled_from(PIECES), st.text(max_size=8), st.integers().map(str))
    return draw(st.integers(0, 999)), draw(piece)


def edited(text: str, changes: list[tuple[int, str]]) -> str:
    for place, piece in changes:
        at = len(text) * place // 1000
        text = text[:at] + piece + text[at + random.Random(place).randint(0, 4) :]  # noqa: S311 - no secret
    return text


@pytest.mark.parametrize("kind", FORMATS)
@settings(derandomize=True, max_examples=EXAMPLES)
@given(changes=st.lists(edits(), min_size=1, max_size=4))
def test_what_is_almost_a_file_is_read_or_refused(kind: str, changes: list[tuple[int, str]]) -> None:
    text = edited(FORMATS[kind].sound, changes)
    assert_read_or_refused(kind, text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("kind", FORMATS)
@settings(derandomize=True, max_examples=EXAMPLES)
@given(octets=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(kind: str, octets: bytes) -> None:
    assert_read_or_refused(kind, octets)


def assert_read_or_refused(kind: str, octets: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FORMATS[kind].name
        path.write_bytes(octets)
        try:
            FORMATS[kind].read(path)
        except REFUSALS as error:
            assert_told(error, path)
