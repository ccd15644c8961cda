"""Processes that are killed while they change a small world.

They are forked by a server of one thread: a fork of the test's own process, which has threads of others, may wait
for ever for a lock that one of them held.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Final

from machine_scene import Scene, steps

from operations.relocation.runner import execution
from operations.relocation.runner.execution import OnFailure

CHILDREN: Final = multiprocessing.get_context("forkserver")
CHILDREN.set_forkserver_preload(
    [
        "operations.relocation.runner.execution",
        "operations.relocation.config.endpoints",
        "cli.commands.relocation.relocate",
    ]
)
PATIENCE: Final = 300.0
"""Seconds that a child may take; it needs some tenths of one."""


def begun(what: Callable[..., None], *given: object) -> ForkServerProcess:
    """A process that does this; what it is given is pickled, and its environment is that of the first."""
    child = CHILDREN.Process(target=what, args=given)
    child.start()
    return child


def ended(child: ForkServerProcess) -> int | None:
    """How it ended; None where it had to be killed for it took too long."""
    child.join(PATIENCE)
    if child.exitcode is not None:
        return child.exitcode
    child.kill()
    child.join(PATIENCE)
    return None


@dataclass
class Killer:
    """Kills its own process at the n-th point; and half way through a journal's line, where that is the point."""

    at: int
    passed: int = 0

    def __call__(self) -> None:
        self.passed += 1
        if self.passed == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        write, replace = os.write, Path.replace

        def written(file: int, content: bytes) -> int:
            self()
            if self.passed + 1 == self.at:
                write(file, content[: len(content) // 2])
            self()
            count = write(file, content)
            self()
            return count

        def replaced(path: Path, target: Path) -> Path:
            self()
            return replace(path, target)

        os.write, Path.replace = written, replaced
        os.fsync = lambda _file: self()


def _child(scene: Scene, at: int, back: bool) -> None:
    killer = Killer(at)
    killer.install()
    scene.point = killer
    if back:
        execution.roll_back(scene.parts, steps(scene))
    else:
        execution.run(scene.parts, steps(scene), on_failure=OnFailure.STOP)
    os._exit(0)


def killed(scene: Scene, at: int, *, back: bool = False) -> bool:
    """Run, or roll back, in a process that is killed at a point; False where it ended before."""
    child = begun(_child, scene, at, back)
    assert ended(child) in {0, -signal.SIGKILL}
    return child.exitcode != 0
