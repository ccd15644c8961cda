"""The nightly workflow's last job takes prices from the job that asked strangers, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from operations.price_refresh.registry import reader_entries

ROOT = Path(__file__).parents[3]
JOBS = yaml.safe_load((ROOT / ".github/workflows/prices.yml").read_text())["jobs"]
TAKE = next(step["run"] for step in JOBS["pull-request"]["steps"] if step["name"] == "Take prices and nothing else")
GIT, BASH = (shutil.which(name) or name for name in ("git", "bash"))
AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")


def git(where: Path, *words: str) -> str:
    done = subprocess.run([GIT, *AUTHOR, *words], cwd=where, capture_output=True, text=True, check=True)
    return done.stdout


def take(folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    """The step in a repository, with a patch that changes some files."""
    project = folder / "project"
    project.mkdir()
    git(project, "init", "--quiet")
    for name in files:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("old\n")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=base")
    for name in files:
        (project / name).write_text("new\n")
    git(project, "commit", "--quiet", "--all", "--message=prices")
    kept = folder / "atoll-prices"
    kept.mkdir()
    (kept / "prices.patch").write_text(git(project, "format-patch", "-1", "--stdout"))
    git(project, "reset", "--quiet", "--hard", "HEAD^")
    return subprocess.run(
        [BASH, "-eo", "pipefail", "-c", TAKE],
        cwd=project,
        env={**os.environ, "RUNNER_TEMP": str(folder), "GIT_CONFIG_GLOBAL": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )


def test_prices_and_their_pages_are_taken(tmp_path: Path) -> None:
    pages = ("sources.md", "estimates.md", "coverage.md", "coverage.svg", "coverage-narrow.svg")
    files = ("catalogs/aws/prices.csv", "catalogs/sources.csv", "catalogs/checked.json")
    files += tuple(f"docs/reference/{name}" for name in pages)
    done = take(tmp_path, *files)
    assert done.returncode == 0, done.stderr
    assert {(tmp_path / "project" / name).read_text() for name in files} == {"new\n"}
    assert git(tmp_path / "project", "branch", "--show-current").strip() == "atoll/prices"


@pytest.mark.parametrize(
    "name",
    [
        ".github/workflows/ci.yml",
        "catalogs/catalog.py",
        "catalogs/aws/machines.csv",
        "Makefile",
        "catalogs/x/y/prices.csv",
    ],
)
def test_a_patch_that_changes_anything_else_is_refused(tmp_path: Path, name: str) -> None:
    done = take(tmp_path, "catalogs/aws/prices.csv", name)
    assert done.returncode == 1
    assert "it changes more than prices" in done.stdout
    assert (tmp_path / "project" / name).read_text() == "old\n"


def test_the_job_with_keys_writes_nothing_and_the_one_that_writes_has_no_key() -> None:
    assert JOBS["refresh"]["permissions"] == {"contents": "read"}
    keys = {key for entry in reader_entries() for key in entry.keys}
    assert {key for key in keys if f"secrets.{key} " in str(JOBS["refresh"])} == keys
    assert "secrets." not in str(JOBS["pull-request"])
    assert JOBS["refresh"]["environment"]
