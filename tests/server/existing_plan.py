"""An accepted existing-cluster example in a folder of its own, and the objects that its program would create."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
EXAMPLE = "existing-lambda"
FIRST = ("Namespace", "PriorityClass", "StorageClass")


def atoll(*arguments: str, folder: Path) -> str:
    """Standard output of a command that must not fail; 11 (cannot tell) is no failure."""
    command = [sys.executable, "-m", "driver.entry", *arguments]
    environment = {**os.environ, "ATOLL_TODAY": "2026-11-21"}  # a quote refuses prices that are too old
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in (0, 11), done.stderr
    return done.stdout


def accepted(folder: Path) -> Path:
    """A copy of the project in which the example is accepted."""
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    ignored = shutil.ignore_patterns("quote.lock.json", "Pulumi.*.yaml", "__pycache__")
    shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=ignored)
    atoll("accept", EXAMPLE, "cheapest", folder=folder)
    return folder


def manifests(folder: Path) -> list[dict[str, Any]]:
    """Every Kubernetes object of the plan, what others live in first."""
    plan = json.loads(atoll("plan", EXAMPLE, "--json", "-", folder=folder))
    found = [each["inputs"] for each in plan["resources"] if each["type"].startswith("kubernetes:")]
    return sorted(found, key=lambda each: each["kind"] not in FIRST)
