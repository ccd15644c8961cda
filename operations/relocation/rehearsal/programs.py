"""Programs that the rehearsal runs: built from source by tools/build, or already on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from operations.relocation.rehearsal.control_plane import SERVERS
from operations.relocation.rehearsal.processes import REPOSITORY
from planning.values.errors import InputError

PYTHON: Final = REPOSITORY / ".venv-mlflow" / "bin" / "python"
NEEDED: Final = (*SERVERS, "minio", "mc")
# Debian keeps the server's programs out of PATH, in a folder for each major version.
POSTGRES_FOLDERS: Final = tuple(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))
POSTGRES: Final = ("initdb", "postgres", "createdb", "pg_dump", "pg_restore", "psql")
WITHOUT_GO: Final = 3


def programs() -> None:
    """Build what is not up to date.

    Raises:
        InputError: something is missing on this machine; names all of it at once.
    """
    missing: list[str] = []
    command = [sys.executable, str(REPOSITORY / "tools" / "build"), *NEEDED]
    code = subprocess.run(command, check=False).returncode  # noqa: S603 - our own builder
    if code == WITHOUT_GO:
        missing.append("Go, to build the servers with")
    elif code:
        missing.append(f"the servers: tools/build ended with {code}, its reason is above")
    if not PYTHON.exists():
        missing.append("MLflow: make .venv-mlflow/.installed")
    absent = [name for name in POSTGRES if not postgres_program(name)]
    if absent:
        missing.append(f"PostgreSQL: {', '.join(absent)}")
    if missing:
        raise InputError(
            f"the rehearsal needs what is not here: {'; '.join(missing)}",
            hint="Debian: apt-get install golang postgresql; then run it again",
        )


def postgres_program(name: str) -> str:
    """Path of one of PostgreSQL's programs; "" where there is none."""
    places = [str(folder) for folder in POSTGRES_FOLDERS]
    return shutil.which(name) or shutil.which(name, path=":".join(places)) or ""
