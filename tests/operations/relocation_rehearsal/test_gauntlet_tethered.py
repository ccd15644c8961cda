from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from operations.project import signals

STARTS = """
import subprocess, sys
from operations.project.signals import with_parent_death_signal
child = subprocess.Popen(with_parent_death_signal(["sleep", "600"]))
print(child.pid, flush=True)
child.wait()
"""


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(not shutil.which("setpriv"), reason="this system has no setpriv")
def test_a_program_is_gone_once_whoever_started_it_was_killed() -> None:
    root = Path(__file__).parents[3]
    parent = subprocess.Popen([sys.executable, "-c", STARTS], cwd=root, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    deadline = time.monotonic() + 120  # of a busy machine; each wait ends as soon as it can
    while Path(f"/proc/{child}/comm").read_text(encoding="ascii").strip() != "sleep" and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    while lives(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not lives(child)


def test_without_setpriv_a_command_is_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "_setpriv", str)
    assert signals.with_parent_death_signal(["mc", "ls"]) == ["mc", "ls"]
