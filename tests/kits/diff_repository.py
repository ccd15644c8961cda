from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from planning.diff.form import DiffForm, StackDiffForm

ROOT = Path(__file__).parents[2]
ROOMS = ("catalogs", "cli", "components", "operations", "planning", "policies", "stacks")
TODAY = "2026-11-21"
BIG = "coreweave-pretrain"
SMALL = "existing-lambda"
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.lock.json", "Pulumi.*.yaml")


def git(repository: Path, *arguments: str) -> str:
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false", *arguments]
    return subprocess.run(command, cwd=repository, env=surroundings, check=True, capture_output=True, text=True).stdout


def atoll(repository: Path, *arguments: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
    surroundings = {**os.environ, "PYTHONPATH": str(repository), "ATOLL_TODAY": TODAY, "GITHUB_TOKEN": "never-shown"}
    command = [sys.executable, "-P", "-m", "cli.main.entry", *arguments]
    done = subprocess.run(command, cwd=repository, env=surroundings, check=False, capture_output=True, text=True)
    assert code is None or done.returncode == code, done.stderr
    return done


def made(folder: Path) -> Path:
    """A project of its own, made from this tree, with two accepted stacks on branch "main"."""
    folder.mkdir()
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=LEFT_OUT)
    for file in ("Pulumi.yaml", "pyproject.toml", "requirements.lock", ".gitignore"):
        shutil.copy(ROOT / file, folder)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for stack in (BIG, SMALL):
        atoll(folder, "accept", stack, "cheapest")
    commit(folder, "the base")
    return folder


def commit(repository: Path, message: str) -> None:
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", message)


def lock_of(repository: Path, stack: str) -> Path:
    return repository / "stacks" / stack / "quote.lock.json"


def accepted(repository: Path, stack: str) -> dict[str, Any]:
    return json.loads(lock_of(repository, stack).read_text())


def accept(repository: Path, stack: str, body: dict[str, Any]) -> None:
    """Write a lock with the digest that it would have."""
    body = {key: value for key, value in body.items() if key != "digest"}
    digest = f"sha256:{sha256(_text(body).encode()).hexdigest()}"
    lock_of(repository, stack).write_text(_text({**body, "digest": digest}))


def _text(body: dict[str, Any]) -> str:
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def diff(repository: Path, *arguments: str, code: int | None = None) -> DiffForm:
    done = atoll(repository, "diff", "--json", *arguments, code=code)
    assert done.stdout, done.stderr
    form = cast("DiffForm", json.loads(done.stdout))
    assert done.returncode == form["exit_code"]
    return form


def row(form: DiffForm, stack: str) -> StackDiffForm:
    return next(each for each in form["stacks"] if each["stack"] == stack)
