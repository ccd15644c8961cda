"""Signals of a child process that a test starts, for `preexec_fn`."""

from __future__ import annotations

import signal


def hear_interrupts() -> None:
    """Take Ctrl-C again: a shell starts what runs in its background deaf to it, and that is handed down."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
