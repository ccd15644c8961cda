"""The worked example of docs/guides/relocate.md is what the plan says today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "relocation"
WRITE = ".venv/bin/python docs/examples/relocation/make.py"
MAKE = "import json, sys, make; json.dump(make.texts(), sys.stdout)"


def test_the_committed_bills_are_those_of_today() -> None:
    import json

    path = {"PYTHONPATH": f"{EXAMPLE}:{ROOT}", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", MAKE], cwd=ROOT, env=path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    for name, text in json.loads(done.stdout).items():
        assert (EXAMPLE / name).read_text(encoding="utf-8") == text, f"write it anew: {WRITE}"


def test_the_bills_show_what_the_example_is_for() -> None:
    google = (EXAMPLE / "google.md").read_text(encoding="utf-8")
    assert "data over the internet, aws/us-east-1 to gcp/us-central1" in google
    assert "3,412 have tags; the target (gcs) cannot hold them" in google
    west = (EXAMPLE / "west.md").read_text(encoding="utf-8")
    assert "1,021.76" in west
    for text in (google, west):
        assert "two clusters at once" in text
        assert "the source, kept" in text
