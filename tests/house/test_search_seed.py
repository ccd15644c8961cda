"""The search of `make test-long`: a seed gives the same examples whatever ran before, another gives others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CI = (ROOT / ".ci/run").read_text()
NIGHT = (ROOT / ".github/workflows/search.yml").read_text()
DRAWS = """
import sys
from hypothesis import given, settings, strategies as st

@settings(derandomize=True, max_examples=50)
@given(st.tuples(st.text(), st.integers(), st.floats()))
def test_draws(drawn):
    with open("drawn.txt", "a") as file:
        file.write(ascii(drawn) + "\\n")
"""
BEFORE = "import planning.checklist.model.vocabulary, cli.main.command_table"


def drawn(folder: Path, *options: str, first: str = "") -> str:
    """What a test that derandomises itself draws in a process of its own."""
    test, told = folder / "test_draws.py", folder / "drawn.txt"
    test.write_text(f"{first}{DRAWS}")
    told.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        str(ROOT / "pyproject.toml"),
        "-p",
        "conftest",
        "-p",
        "no:randomly",
    ]
    subprocess.run(
        [*command, *options, "--rootdir", str(folder), str(test)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(str(ROOT / folder) for folder in (".", "tests", "tests/kits"))},
        capture_output=True,
        check=False,
    )
    return told.read_text()


@pytest.mark.long  # four processes of pytest
def test_a_seed_draws_its_own_examples_whatever_was_imported_before(tmp_path: Path) -> None:
    seven = ("--free-seed", "7")
    assert drawn(tmp_path, *seven) == drawn(tmp_path, *seven, first=BEFORE)
    assert len({drawn(tmp_path, *options) for options in (seven, ("--free-seed", "8"), ())}) == 3


def test_ci_searches_from_a_seed_that_stands_still_and_the_night_from_a_free_one() -> None:
    assert re.search(r"^make test-long .*SEED=\d+$", CI, re.MULTILINE)
    assert re.search(r"run: make test-long$", NIGHT, re.MULTILINE)
