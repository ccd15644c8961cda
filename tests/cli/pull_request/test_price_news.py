"""The text of a pull request with new prices: the worked example is what the commands write, and nothing in it acts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from forms import amount, diff, within

from cli.commands.quoting.catalog_refresh import describe_refresh
from cli.pages.price_news import MARKER, text
from operations.price_refresh.report import RefreshForm
from planning.diff.form import StackDiffForm
from planning.values.errors import InputError

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "prices"
WRITE = ".venv/bin/python docs/examples/prices/refresh.py"
MAKE = "import sys, refresh; sys.stdout.write(refresh.pull_request())"
OLD_ROWS = "**What stays as old as it was**"  # below it stand counts of all our rows


def empty() -> RefreshForm:
    return {
        "today": "2026-11-23",
        "dry_run": False,
        "written": True,
        "state": "the catalog on disk is the new one",
        "providers": [],
        "moves": [],
        "held": [],
        "refused": [],
        "disagreeing": [],
        "unknown_machines": [],
        "gone": [],
        "sections_refused": [],
        "silent": [],
        "skipped": [],
        "stays": [],
    }


def test_the_committed_text_is_the_one_that_the_commands_write() -> None:
    path = {"PYTHONPATH": f"{EXAMPLE}:{ROOT}", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", MAKE], cwd=ROOT, env=path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    committed = (EXAMPLE / "pull-request.md").read_text(encoding="utf-8")
    assert done.stdout.partition(OLD_ROWS)[0] == committed.partition(OLD_ROWS)[0], f"write it anew: {WRITE}"
    assert "by price alone" in committed.splitlines()[1]
    for words in ("Held back", "Refused", "A second source says otherwise", OLD_ROWS):
        assert words in committed


def moved(name: str, usd: str, percent: str) -> StackDiffForm:
    """A stack of 1,000 USD that prices alone move."""
    readings = {"min": usd, "expected": usd, "max": usd}
    return within(name, new=amount("1000.00"), by_prices={"usd_per_month": readings, "percent": percent})


def test_without_a_comparison_only_the_prices_are_told() -> None:
    assert text(empty()) == f"{MARKER}\n## Prices of 2026-11-23\n"


def test_the_stack_that_moves_most_stands_in_the_headline() -> None:
    found = diff(moved("calm", "3.00", "0.1"), moved("large", "-40.00", "-4.0"), moved("still", "0.00", "0.0"))
    told = text(empty(), found).splitlines()
    assert told[1] == "## Prices of 2026-11-23: <code>large</code> -4.0% by price alone"
    rows = [line for line in told if line.startswith("| <code>")]
    assert [line.split("<code>")[1].split("<")[0] for line in rows] == ["large", "calm", "still"]
    assert "-40.00" in rows[0]
    assert "960.00" in rows[0]
    still = diff(moved("still", "0.00", "0.0"))
    assert text(empty(), still).splitlines()[1].endswith(": no accepted stack moves")


def test_what_a_source_answered_does_nothing_in_the_text() -> None:
    evil = "<script>alert(1)</script> @everyone [x](javascript:1) `code` #1"
    note = {
        "provider": evil,
        "item": evil,
        "region": evil,
        "purchase": evil,
        "before": "",
        "after": evil,
        "change": evil,
    }
    form = json.loads(json.dumps(empty()))
    form["refused"] = [{**note, "text": evil}]
    form["silent"] = [{"provider": "aws", "region": evil, "kind": "services", "text": evil}]
    told = text(form)
    for bad in ("<script", "@everyone", "](javascript", "`code`"):
        assert bad not in told


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is no such document: the whole"),
        ("<html>", "is no such document: the whole"),
        ("{}", "is no such document: today: Field required"),
        (json.dumps({**empty(), "moves": [1]}), "is no such document: moves.0"),
    ],
)
def test_a_file_that_is_no_document_of_a_refresh_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "refresh.json"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        describe_refresh(str(path))
    with pytest.raises(InputError, match="there is no such file"):
        describe_refresh(str(tmp_path / "nothing"))
