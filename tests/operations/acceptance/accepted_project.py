"""A copy of the project in which one option of a stack is accepted, made in this process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.main.application import run as atoll

ROOT = Path(__file__).parents[3]


@contextmanager
def project_with(folder: Path, stack: str, option: str) -> Iterator[None]:
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    home = folder / "stacks" / stack
    home.mkdir(parents=True)
    shutil.copy(ROOT / "stacks" / stack / "checklist.yaml", home)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ATOLL_TODAY", "2026-11-21")
        assert atoll(["accept", stack, option, "--allow-stale"]) == 0
        yield
