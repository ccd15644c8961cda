"""Runs `atoll relocate` as a person would, as a process of its own that can be killed at any moment."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.project.journal import NAME, JournalRecord, RecordKind, read_journal
from operations.relocation.rehearsal.environment import STACKS, RehearsalEnvironment
from operations.relocation.rehearsal.processes import BIN
from operations.relocation.runner.state import RelocationState, derive_state
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


PROJECT: Final = "name: rehearsal\nruntime: python\n"
LOOK_EVERY: Final = 0.002  # seconds between two looks at the journal
STEP_WITHIN: Final = 600.0
PAIR: Final = (STACKS["source"], STACKS["target"])


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """Exit code and output of a command."""

    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Runner:
    scene: RehearsalEnvironment

    @property
    def root(self) -> Path:
        return self.scene.folder / "project"

    @property
    def folder(self) -> Path:
        return self.root / "relocations" / "--".join(PAIR)

    def prepare(self) -> None:
        self.root.mkdir()
        (self.root / "Pulumi.yaml").write_text(PROJECT, encoding="utf-8")

    def run(self, name: str, *arguments: str) -> CommandResult:
        process = self._start(name, arguments)
        said, _ = process.communicate(timeout=STEP_WITHIN)
        return CommandResult(code=process.returncode, said=said)

    def run_soundly(self, name: str, *arguments: str) -> str:
        """Run a command that must succeed; its output.

        Raises:
            RuntimeError: it failed.
        """
        ended = self.run(name, *arguments)
        if ended.code:
            raise RuntimeError(f"atoll relocate {name} ended with {ended.code}: {ended.said[-3000:]}")
        return ended.said

    def kill_in(self, step: str, *, after: float, name: str = "run", arguments: Sequence[str] = ()) -> bool:
        """Run a command and kill it some seconds into a step; whether the step was still running.

        Raises:
            RuntimeError: it ended before it came to the step.
        """
        known = len(self.read_records())
        process = self._start(name, arguments)
        try:
            self._await(process, step, known=known)
            time.sleep(after)
        finally:
            process.kill()
            said, _ = process.communicate()
        if not _has_entered(self.read_records()[known:], step):
            raise RuntimeError(f"atoll relocate {name} never came to {step}: {said[-3000:]}")
        return not any(
            each.step == step and each.kind in {RecordKind.DONE, RecordKind.UNDONE}
            for each in self.read_records()[known:]
        )

    def read_records(self) -> tuple[JournalRecord, ...]:
        path = self.folder / NAME
        for _ in range(3):  # the head is written after the line: a look between the two is taken again
            try:
                return read_journal(path).records
            except InputError:
                time.sleep(LOOK_EVERY)
        return read_journal(path).records

    def read_state(self) -> RelocationState:
        return derive_state(self.read_records())

    def _await(self, process: subprocess.Popen[str], step: str, *, known: int) -> None:
        deadline = time.monotonic() + STEP_WITHIN
        while process.poll() is None and time.monotonic() < deadline:
            if _has_entered(self.read_records()[known:], step):
                return
            time.sleep(LOOK_EVERY)

    def _start(self, name: str, arguments: Sequence[str]) -> subprocess.Popen[str]:
        places = ["--places", str(self.scene.places)]
        return subprocess.Popen(  # noqa: S603 - our own command, no shell
            [sys.executable, "-m", "cli.main.entry", "relocate", name, *PAIR, *places, *arguments],
            cwd=self.root,
            env={
                "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self.root),
                "COLUMNS": "200",
                **self.scene.secrets,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )


def _has_entered(records: Sequence[JournalRecord], step: str) -> bool:
    return any(each.step == step and each.kind in {RecordKind.BEGUN, RecordKind.UNDOING} for each in records)
