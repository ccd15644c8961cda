"""The worked example: two commits of a project with one stack, compared by `atoll diff`, and the comment it writes.

`.venv/bin/python docs/examples/pull-request/make.py` writes comment.md, and comment.png where Chromium is installed.
"""  # noqa: INP001 - a script beside what it makes

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cli.pages.diff import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.diff.form import DiffForm

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[2]
STACK: Final = "reef"
VIEW: Final = "cheapest"
TODAY: Final = "2026-11-21"  # the prices are of this autumn
LEFT_OUT: Final = ("tests/", "docs/", ".venv/")
COMMENT: Final = "comment.md"
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
OVER: Final = 10


def comment() -> str:
    """The comment that `atoll diff --base base --head more-replicas` writes."""
    with tempfile.TemporaryDirectory(prefix="atoll-example-") as folder:
        project = Path(folder).resolve() / "project"
        copy_project(project)
        run_git(project, "init", "--quiet", "--initial-branch=base")
        commit_stack(project, HERE / "base.yaml", "Serve with two replicas")
        run_git(project, "switch", "--quiet", "--create=more-replicas")
        commit_stack(project, HERE / "head.yaml", "Serve with four replicas, keep the weights warm")
        found = _compared(project, base="base", head="more-replicas")
    for side in (found["base"], found["head"]):
        side["commit"] = ""  # it is another one with every change of the project
    return markdown.text(found)


def copy_project(project: Path) -> None:
    """The project as it is here, without its examples."""
    listed = run_plain("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", where=ROOT).split("\0")
    for name in filter(None, listed):
        is_stack = name.startswith("stacks/") and name.count("/") > 1
        if is_stack or name.startswith(LEFT_OUT) or not (ROOT / name).is_file():
            continue
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)


def commit_stack(project: Path, checklist: Path, message: str) -> None:
    """A checklist of the stack, its option accepted, as a commit."""
    there = project / "stacks" / STACK / "checklist.yaml"
    there.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(checklist, there)
    run_atoll(project, "accept", STACK, VIEW)
    run_git(project, "add", "--all")
    run_git(project, "commit", "--quiet", f"--message={message}")


def _compared(project: Path, *, base: str, head: str) -> DiffForm:
    run_atoll(project, "diff", "--base", base, "--head", head, "--json", "diff.json", codes=(OVER,))
    found: DiffForm = json.loads((project / "diff.json").read_text(encoding="utf-8"))
    return found


def run_python(project: Path, *words: str) -> None:
    """A module of the copy itself."""
    run_plain(sys.executable, *words, where=project)


def run_atoll(project: Path, *words: str, codes: tuple[int, ...] = (0,)) -> str:
    """What a command of the copy itself prints.

    Raises:
        SystemExit: it ends with another code.
    """
    done = _run([sys.executable, "-m", "cli.main.entry", *words], where=project)
    if done.returncode not in codes:
        sys.exit(
            f"atoll {' '.join(words)} ended with {done.returncode} instead of {codes}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def run_git(project: Path, *words: str) -> None:
    who = ("-c", "user.name=Reef", "-c", "user.email=platform@reef.example", "-c", "commit.gpgsign=false")
    run_plain("git", *who, *words, where=project)


def run_plain(*command: str, where: Path) -> str:
    done = _run(command, where=where)
    done.check_returncode()
    return done.stdout


def _run(command: Sequence[str], *, where: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "ATOLL_"))}
    environment = {**kept, "PYTHONPATH": str(where), "ATOLL_TODAY": TODAY}
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - all of it is ours


def _photographed(text: str) -> None:
    """The comment as a picture, where a browser is installed."""
    from page import page  # noqa: PLC0415 - beside this script, and only for the picture

    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("no Chromium here: comment.png stays as it is", file=sys.stderr)  # noqa: T201 - a script
        return
    with tempfile.TemporaryDirectory(prefix="atoll-example-") as folder:
        html = Path(folder) / "comment.html"
        html.write_text(page(text), encoding="utf-8")
        shot = (f"--screenshot={HERE / 'comment.png'}", "--window-size=960,1300", "--hide-scrollbars")
        run_plain(browser, "--headless", "--no-sandbox", "--disable-gpu", *shot, str(html), where=Path(folder))


def main() -> None:
    """Write what the guide shows."""
    text = comment()
    (HERE / COMMENT).write_text(text, encoding="utf-8")
    _photographed(text)


if __name__ == "__main__":
    main()
