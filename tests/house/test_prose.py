"""Hand-written pages are in plain English: `tools/prose/check` finds nothing in them, and finds each kind of fault."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "tools/prose/check"
LOADER = SourceFileLoader("prose_check", str(CHECK))
SPEC = spec_from_loader("prose_check", LOADER)
assert SPEC is not None
prose = module_from_spec(SPEC)
LOADER.exec_module(prose)

LONG_SENTENCE = "It has " + "one more word and " * 20 + "an end."
FAULTS = {
    "phrase": ("Nobody can tell.", "write undetermined"),
    "phrase over the fence": ("```\nnobody\n```\nThe dearest machine.", "write most expensive"),
    "line": ("word " * 40, "characters, 160 at most"),
    "sentence": (LONG_SENTENCE.replace("more", "more\n"), "words, 45 at most"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_kind_of_fault_is_found(name: str, tmp_path: Path) -> None:
    text, expected = FAULTS[name]
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    assert any(
        expected in fault
        for _, fault in prose.check_page(
            page, {"nobody can tell": "undetermined", "dearest": "most expensive", "nobody": "who"}
        )
    )


def test_code_is_not_prose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```\nnobody can tell\n```\nIt prints `nobody` there.\n", encoding="utf-8")
    assert prose.check_page(page, {"nobody": "who"}) == []


def test_the_pages_of_this_repository_have_none() -> None:
    done = subprocess.run([sys.executable, str(CHECK)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
