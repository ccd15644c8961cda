"""Every `sh` block of the README and the guides is run, in order, in a copy of the project.

They are run in this process; `make test-long` runs the README's as somebody types them, each in a process.

A line that ends in `# exits N` must leave with that code; every other line with 0. Blocks of other kinds show what
needs a cloud, the Pulumi engine or `make`, and are not run here.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_here import command_here

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs/guides").glob("*.md")))
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
TODAY = "2026-11-21"  # the prices are of this autumn, and a quote refuses prices that are too old
EXPECTED_CODE = re.compile(r"#.*\bexits (\d+)")


def commands(page: Path) -> list[str]:
    return [line for block in BLOCK.findall(page.read_text()) for line in block.splitlines() if line.strip()]


def clones() -> list[str]:
    """Stacks that somebody cloned here, perhaps by following these very pages."""
    checklists = (ROOT / "stacks").glob("*/checklist.yaml")
    return [path.parent.name for path in checklists if path.read_text(encoding="utf-8").startswith("# A clone of ")]


def copy_of_project(folder: Path) -> None:
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    ignored = shutil.ignore_patterns("quote.lock.json", "Pulumi.*.yaml", "__pycache__", *clones())
    shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=ignored)


def run(words: list[str], *, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.long
def test_every_example_of_the_readme_runs_as_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_examples(PAGES[0], tmp_path, monkeypatch, here=False)


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_every_example_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_examples(page, tmp_path, monkeypatch, here=True)


def run_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, here: bool) -> None:
    copy_of_project(tmp_path)
    monkeypatch.setenv("ATOLL_TODAY", TODAY)
    for line in commands(page):
        words = shlex.split(line, comments=True)
        done = command_here(tmp_path, *words[1:]) if here and words[0] == "atoll" else run(words, folder=tmp_path)
        expected = EXPECTED_CODE.search(line)
        assert done.returncode == int(expected[1] if expected else 0), f"{line}\n{done.stdout[-500:]}{done.stderr}"


def test_the_readme_has_examples_and_is_short() -> None:
    readme = PAGES[0]
    assert len(commands(readme)) >= 5
    assert len(readme.read_text().splitlines()) < 200


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "docs/decisions").glob("*.md"))], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://)([^)#]+)\)", page.read_text())
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []
