"""Ctrl-C, from the first instruction of the process on: what it says, and when it becomes an exception."""

from __future__ import annotations

import os
import signal
from typing import Final

STOPPED: Final = 130
STOPPED_TEXT: Final = "stopped; nothing was written"


def quit_at_once(_number: int, _frame: object) -> None:
    """End the process while its modules load."""
    # No exception: inside of an import it can be lost, or shown as a fault of the module.
    os.write(2, f"{STOPPED_TEXT}\n".encode())
    os._exit(STOPPED)


def hear_interrupts() -> None:
    """From here on Ctrl-C is an exception, so that whatever was begun is cleaned up."""
    # Only ours is replaced: a shell may have set SIGINT to be ignored, as it does behind `&`.
    if signal.getsignal(signal.SIGINT) is quit_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
