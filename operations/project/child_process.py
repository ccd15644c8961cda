"""Programs that end with us: one that outlived a killed run would write at the target beside the next run.

The kernel kills the child when the thread that started it is gone (prctl(2), PR_SET_PDEATHSIG). It is asked for by
`setpriv` of util-linux, which then becomes the program: no code of ours runs between fork and exec.
"""

from __future__ import annotations

import shutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_parent_death_signal(command: Sequence[str]) -> list[str]:
    """A command that is killed when this process is; as it is where the system has no `setpriv`."""
    setpriv = _setpriv()
    return [setpriv, "--pdeathsig", "KILL", "--", *command] if setpriv else list(command)


@cache
def _setpriv() -> str:
    return shutil.which("setpriv") or ""
