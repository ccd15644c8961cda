"""The control plane of the rehearsal, for tests; by hand until Ctrl-C, with a kubeconfig for kubectl or Pulumi:

.venv/bin/python tests/server/control_plane.py build/control-plane
"""

from __future__ import annotations

import contextlib
import signal
import sys
import tempfile
from pathlib import Path

from operations.relocation.rehearsal.control_plane import ControlPlane, build, start_control_plane
from operations.relocation.rehearsal.processes import BIN, LOOPBACK, REPOSITORY, WITHOUT_GO, free_ports, write_secret

__all__ = [
    "BIN",
    "LOOPBACK",
    "REPOSITORY",
    "WITHOUT_GO",
    "ControlPlane",
    "build",
    "free_ports",
    "start_control_plane",
    "write_secret",
]


def main() -> None:
    """Run a control plane in the named folder, with a kubeconfig there, until interrupted."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="control-plane-")).resolve()
    if code := build():
        sys.exit(code)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), start_control_plane(folder) as plane:
        sys.stdout.write(f"export KUBECONFIG={plane.kubeconfig}\n")
        sys.stdout.flush()
        signal.pause()


if __name__ == "__main__":
    main()
