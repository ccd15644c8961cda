"""Actionlint, built from its pins, over every workflow file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.server
ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WITHOUT_GO = 3


@pytest.fixture(scope="module")
def actionlint() -> Path:
    code = subprocess.run([sys.executable, ROOT / "tools" / "build", "actionlint"], check=False).returncode
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("actionlint is built with Go, and there is no `go` on PATH")
    assert code == 0, "tools/build did not build actionlint"
    return ROOT / "tools" / "bin" / "actionlint"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing(actionlint: Path, path: Path) -> None:
    done = subprocess.run([actionlint, "-no-color", path], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "")


def test_actionlint_would_find_an_injection(actionlint: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.yml"
    path.write_text(
        "on: pull_request\njobs:\n  x:\n    runs-on: ubuntu-24.04\n    steps:\n"
        "      - run: echo '${{ github.event.pull_request.title }}'\n"
    )
    done = subprocess.run([actionlint, "-no-color", path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "untrusted" in done.stdout
