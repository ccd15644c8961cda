"""Times `atoll diff` over 100 stacks of which 3 changed, and over 1,000 of which none did.

python benchmarks/diff_100.py
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("catalogs", "cli", "components", "operations", "planning", "policies", "stacks")
KINDS = (("demo", "same_cloud"), ("gcp-train", "cheapest"), ("coreweave-pretrain", "cheapest"))
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.lock.json", "Pulumi.*.yaml")
TODAY = "2026-11-21"
CHANGED_S, UNTOUCHED_S = 30.0, 60.0  # the limits of the issue, on 2 cores

Body = dict[str, object]


def main() -> None:
    """Both figures, against their limits."""
    with tempfile.TemporaryDirectory(prefix="atoll-bench-") as folder:
        project = Path(folder) / "project"
        locks = prepared(project)
        stacks(project, locks, count=100)
        committed(project, "100 stacks")
        for number in range(3):
            grown(project, f"stack-{number:04}")
        say("100 stacks, 3 changed", timed(project), CHANGED_S)
        committed(project, "3 changed")
        stacks(project, locks, count=1000)
        committed(project, "1,000 stacks")
        say("1,000 stacks, none changed", timed(project), UNTOUCHED_S)


def prepared(project: Path) -> list[Body]:
    """This tree as a project of its own, and one accepted lock of each kind."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, project / room, ignore=LEFT_OUT)
    for file in ("Pulumi.yaml", "pyproject.toml", "requirements.lock", ".gitignore"):
        shutil.copy(ROOT / file, project)
    git(project, "init", "--quiet")
    for stack, option in KINDS:
        atoll(project, "accept", stack, option)
    return [json.loads(lock(project, stack).read_text()) for stack, _ in KINDS]


def stacks(project: Path, locks: list[Body], *, count: int) -> None:
    """So many stacks, the kinds in turn."""
    for number in range(count):
        name = f"stack-{number:04}"
        lock(project, name).parent.mkdir(exist_ok=True)
        kind = number % len(KINDS)
        stack = KINDS[kind][0]
        shutil.copy(project / "stacks" / stack / "checklist.yaml", lock(project, name).parent)
        shutil.copy(project / "stacks" / f"Pulumi.{stack}.yaml", project / "stacks" / f"Pulumi.{name}.yaml")
        write(project, name, {**locks[kind], "stack": name})


def grown(project: Path, name: str) -> None:
    """One more node in every pool that can have one."""
    body = json.loads(lock(project, name).read_text())
    for pool in body["placements"][0]["pools"]:
        pool["max_nodes"] += 1
        pool["working"] += 1
    write(project, name, body)


def write(project: Path, name: str, body: Body) -> None:
    """A lock with the digest that it would have."""
    plain = {key: value for key, value in body.items() if key != "digest"}
    digest = sha256(text(plain).encode()).hexdigest()
    lock(project, name).write_text(text({**plain, "digest": f"sha256:{digest}"}))


def text(body: Body) -> str:
    """Canonical text, as `planning.spec.lock` has it."""
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def lock(project: Path, stack: str) -> Path:
    """Where the lock of a stack stands."""
    return project / "stacks" / stack / "quote.lock.json"


def committed(project: Path, message: str) -> None:
    """Everything in one commit."""
    git(project, "add", "--all")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "--quiet", "--message", message)


def git(project: Path, *arguments: str) -> None:
    """One git command."""
    subprocess.run(["git", *arguments], cwd=project, check=True)  # noqa: S607 - git of the PATH


def atoll(project: Path, *arguments: str, codes: tuple[int, ...] = (0,)) -> None:
    """One command of the project's own Atoll."""
    surroundings = {**os.environ, "PYTHONPATH": str(project), "ATOLL_TODAY": TODAY}
    command = [sys.executable, "-P", "-m", "cli.main.entry", *arguments]
    done = subprocess.run(command, cwd=project, env=surroundings, check=False, capture_output=True, text=True)
    if done.returncode not in codes:
        raise SystemExit(done.stderr)


def timed(project: Path) -> tuple[float, float]:
    """Seconds of the working tree against HEAD: on the clock, and of the processor, whatever else the machine does."""
    start, before = time.perf_counter(), os.times()
    atoll(project, "diff", "--base", "HEAD", "-o", str(project.parent / "diff.json"), codes=(0, 1, 10, 11, 12))
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start, used


def say(what: str, seconds: tuple[float, float], limit: float) -> None:
    """One figure."""
    clock, used = seconds
    verdict = "ok" if clock <= limit else "TOO SLOW"
    print(f"{what}: {clock:.1f} s of {limit:g} s: {verdict}; processor time {used:.1f} s")


if __name__ == "__main__":
    main()
