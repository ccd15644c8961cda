"""The engine on this machine: whether it is here, and how a test runs `pulumi` and `atoll` in a project of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from existing_plan import EXAMPLE, ROOT, accepted

PASSPHRASE = "for this test only"
CHOSEN_ELSEWHERE = (
    "PULUMI_BACKEND_URL",
    "PULUMI_ACCESS_TOKEN",
    "PULUMI_CONFIG_PASSPHRASE_FILE",
    "ATOLL_SECRETS_PROVIDER",
)


def missing() -> str:
    """What of the engine is not here; "" where all of it is."""
    if shutil.which("pulumi") is None:
        return "the Pulumi CLI is not on PATH"
    return missing_plugin("kubernetes")


def missing_plugin(name: str) -> str:
    """What to say where a provider's plugin is not here; "" where it is, or where nothing of the engine is."""
    if shutil.which("pulumi") is None or shutil.which(f"pulumi-resource-{name}") is not None:
        return ""
    listed = subprocess.run(["pulumi", "plugin", "ls"], capture_output=True, text=True, check=False).stdout  # noqa: S607 - from the PATH
    return "" if name in listed else f"the {name} provider plugin is not installed"


MARKS = [
    pytest.mark.engine,
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(bool(missing()), reason=missing()),
]


@dataclass(frozen=True)
class Here:
    """An accepted project, and where its cluster's kubeconfig is; state is in the folder that Atoll chooses."""

    folder: Path
    kubeconfig: Path
    seconds: int = 300
    """What one command may take."""

    def atoll(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self._run([sys.executable, "-m", "cli.main.entry", *arguments], variables)

    def pulumi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        state = {"PULUMI_BACKEND_URL": f"file://{self.folder}/.pulumi-state"}
        return self._run(["pulumi", *arguments, "--non-interactive", "--stack", EXAMPLE], state)

    def _run(self, command: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
        environment = {
            **{name: value for name, value in os.environ.items() if name not in CHOSEN_ELSEWHERE},
            "ATOLL_TODAY": "2026-11-21",
            "PYTHONPATH": str(ROOT),
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_CREDENTIALS_PATH": str(self.folder),  # nobody is logged in
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "TERN_KUBECONFIG": str(self.kubeconfig),
            **variables,
        }
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=self.seconds,
            check=False,
        )


def project(folder: Path) -> Here:
    """A project in which the example is accepted, without a cluster yet."""
    accepted(folder)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return Here(folder, folder / "kubeconfig")


def context_of(here: Here) -> str:
    """The kubeconfig context that the lock names, wherever in it."""
    text = (here.folder / f"stacks/{EXAMPLE}/quote.lock.json").read_text(encoding="utf-8")
    (found,) = set(re.findall(r'"context": "([^"]+)"', text))
    return str(found)
