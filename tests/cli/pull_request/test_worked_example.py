"""The worked example of docs/guides/pull-requests.md is what `atoll diff` writes today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cli.pages.diff import markdown

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "pull-request"
LARGEST_PICTURE = 300_000
WRITE = ".venv/bin/python docs/examples/pull-request/make.py"
MAKE = "import sys, make; sys.stdout.write(make.comment())"


def test_the_committed_comment_is_the_one_that_two_refs_give() -> None:
    path = {"PYTHONPATH": f"{EXAMPLE}:{ROOT}", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", MAKE], cwd=ROOT, env=path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (EXAMPLE / "comment.md").read_text(encoding="utf-8"), f"write it anew: {WRITE}"


def test_the_comment_shows_what_the_example_is_for() -> None:
    comment = (EXAMPLE / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith(f"{markdown.MARKER}\n## Atoll: OVER THE CEILING, +")
    for words in ("LIMIT RAISED", "Rules newly broken", "Cut pool/serve by 2 of 4 nodes", "<strong>storage/warm"):
        assert words in comment


def test_the_picture_is_one_and_is_small() -> None:
    picture = (EXAMPLE / "comment.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < LARGEST_PICTURE
