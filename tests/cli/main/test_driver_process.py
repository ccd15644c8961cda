"""The command as a process of its own: the whole way from a checklist to a priced plan, signals, pipes, full disks."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from child_signals import hear_interrupts
from command_project import valid

ROOT = Path(__file__).parents[3]
DAY = ("--today", "2026-11-21")
Process = subprocess.CompletedProcess[str]


def atoll(project: Path, *arguments: str, **more: object) -> Process:
    command = [sys.executable, "-m", "cli.main.entry", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, **more)  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType]


def small_files() -> None:
    """Let this process write no file beyond 1 kB, as a full disk would."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def files(project: Path) -> list[str]:
    return sorted(path.name for path in project.rglob("*") if path.is_file())


def test_from_a_checklist_to_a_priced_plan(project: Path) -> None:
    shutil.copy(ROOT / "stacks" / "__main__.py", project / "stacks" / "__main__.py")
    assert atoll(project, "accept", "demo", "cheapest", *DAY).returncode == 0
    shown = atoll(project, "plan", "demo", *DAY)
    assert shown.returncode == 0, shown.stderr
    assert "Resources and accepted cluster agree to the cent." in shown.stdout
    written = atoll(project, "plan", "demo", "--json", "plan.json", *DAY)
    assert written.returncode == 0
    plan = valid("plan", (project / "plan.json").read_text("utf-8"))
    assert plan["differences"] == []
    priced = atoll(project, "price", "plan.json", "--json")
    report = valid("price", priced.stdout)
    assert report["new"]["usd_per_month"]["expected"][:6] == plan["bill"]["usd_per_month"]["expected"][:6]
    assert atoll(project, "price", "plan.json").returncode == 0


def test_a_plan_reminds_of_a_changed_checklist_and_an_expired_quote(project: Path) -> None:
    shutil.copy(ROOT / "stacks" / "__main__.py", project / "stacks" / "__main__.py")
    atoll(project, "accept", "demo", "cheapest", *DAY)
    path = project / "stacks" / "demo" / "checklist.yaml"
    path.write_text(path.read_text("utf-8").replace("1000000", "2000000"), encoding="utf-8")
    plan = atoll(project, "plan", "demo", "--today", "2026-12-30", "--json", "-")
    assert "the quote was valid until 2026-12-05" in plan.stderr
    assert "has changed since" in plan.stderr
    assert json.loads(plan.stdout)["stack"] == "demo"


def test_a_full_disk_is_told_and_leaves_nothing(project: Path) -> None:
    before = files(project)
    done = atoll(project, "accept", "demo", "cheapest", *DAY, preexec_fn=small_files)
    assert done.returncode == 1
    assert "quote.lock.json: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert files(project) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_is_told(project: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cli.main.entry", "quote", "demo", *DAY],
            cwd=project,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "error: No space left on device\n"


def test_a_reader_that_leaves_early_is_no_fault(project: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "cli.main.entry", "schema"],
            cwd=project,
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 141
    assert done.stderr == ""


def test_ctrl_c_while_the_program_runs_is_quiet(project: Path) -> None:
    waiting = f"import pathlib, time; pathlib.Path({str(project / 'runs')!r}).touch(); time.sleep(60)\n"
    (project / "stacks" / "__main__.py").write_text(waiting, encoding="utf-8")
    atoll(project, "accept", "demo", "cheapest", *DAY)
    command = [sys.executable, "-m", "cli.main.entry", "plan", "demo", *DAY]
    with subprocess.Popen(
        command,
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,  # noqa: PLW1509 - sets one signal, and no other thread has a lock that it wants
    ) as process:
        while not (project / "runs").exists() and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
    assert process.returncode == 130
    assert said == "stopped; nothing was written\n"


STARTING = """
import pathlib, sys
from cli.main import entry
pathlib.Path("started").touch()
entry.main()
"""


@pytest.mark.parametrize("delay_ms", [0, 40, 90, 150, 220, 300, 400, 600])
def test_ctrl_c_while_modules_load_shows_no_traceback(delay_ms: int, project: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTING, "quote", "demo", *DAY],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,  # noqa: PLW1509 - as above
    ) as process:
        while not (project / "started").exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(delay_ms / 1000)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
    assert (process.returncode, said) in [(130, "stopped; nothing was written\n"), (0, "")]


def test_a_terminal_without_utf8_gets_an_answer(project: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = atoll(project, "quote", "demo", *DAY, env=environment)
    assert done.returncode == 0, done.stderr


def test_help_that_nobody_asked_for_is_no_error(project: Path) -> None:
    shown = atoll(project)
    assert shown.returncode == 2
    assert shown.stderr.startswith("Usage: atoll")
    assert "error" not in shown.stderr
