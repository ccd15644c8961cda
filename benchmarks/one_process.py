"""One process, measured from a process that is small itself: its CPU seconds, its wall seconds and its largest memory.

A child begins with the largest resident set of its parent (Linux, execve: the figure is carried over), so that who
has loaded a catalog measures its own size. Bytecode goes to the folder given, for an installed program has its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time


def main() -> None:
    """Print [exit code, wall seconds, CPU seconds, KiB] of the command after the folder for bytecode."""
    pycache, *command = sys.argv[1:]
    surroundings = {name: word for name, word in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    child = subprocess.Popen(
        command,
        env=surroundings | {"PYTHONPYCACHEPREFIX": pycache},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    code = os.waitstatus_to_exitcode(status)
    print(json.dumps([code, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))


if __name__ == "__main__":
    main()
