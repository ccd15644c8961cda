"""The worked example: a project with one accepted stack, new prices of a file, and the pull request that brings them.

`.venv/bin/python docs/examples/prices/refresh.py` writes pull-request.md. The new prices are made up.
"""  # noqa: INP001 - a script beside what it makes

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pull-request"))

import make as example  # noqa: E402 - the other example, whose project this one uses

SOURCE: Final = (
    "example-list,prices made up for the worked example of a refresh,https://prices.example/,2026-11-21,list"
)
TEXT: Final = "pull-request.md"
UNDETERMINED: Final = 11


def pull_request() -> str:
    """What `atoll catalog describe-refresh refresh.json --diff diff.json` prints."""
    with tempfile.TemporaryDirectory(prefix="atoll-example-") as folder:
        project = Path(folder).resolve() / "project"
        example.copy_project(project)
        sources = project / "catalogs" / "sources.csv"
        header, *rows = sources.read_text(encoding="utf-8").splitlines()
        sources.write_text("\n".join((header, *sorted([*rows, SOURCE]))) + "\n", encoding="utf-8")
        example.run_python(project, "-m", "catalogs.validation")
        example.run_git(project, "init", "--quiet", "--initial-branch=base")
        example.commit_stack(project, example.HERE / "base.yaml", "Serve with two replicas")
        example.run_git(project, "switch", "--quiet", "--create=prices")
        refresh = ("catalog", "refresh", "--from", str(HERE / "new-prices.csv"), "--output", "refresh.json")
        example.run_atoll(project, *refresh)
        example.run_git(project, "add", "catalogs")
        example.run_git(project, "commit", "--quiet", "--message=catalog: refresh prices")
        codes = (0, UNDETERMINED)
        example.run_atoll(project, "diff", "--base", "base", "--head", "prices", "--output", "diff.json", codes=codes)
        return example.run_atoll(project, "catalog", "describe-refresh", "refresh.json", "--diff", "diff.json")


def main() -> None:
    """Write what the guide shows."""
    (HERE / TEXT).write_text(pull_request(), encoding="utf-8")


if __name__ == "__main__":
    main()
