"""MLflow on loopback: its runs in a PostgreSQL, its artifacts in a store, both through its own proxy and directly."""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import requests

from operations.relocation.rehearsal.processes import LOOPBACK, child, free_ports, until
from operations.relocation.rehearsal.programs import PYTHON
from operations.relocation.rehearsal.store import REGION

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from operations.relocation.rehearsal.database import RehearsedDatabase
    from operations.relocation.rehearsal.processes import Child
    from operations.relocation.rehearsal.store import RehearsedStore

TRACKING_READY_WITHIN: Final = 300.0  # seconds; a quiet machine needs about twenty
QUIET: Final = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    "GIT_PYTHON_REFRESH": "quiet",
}
PROGRAM_WITHIN: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedTracking:
    """A running server and what its clients need."""

    url: str
    folder: Path
    keys: Mapping[str, str] = field(repr=False)
    server: Child

    def run(self, program: str, *arguments: str) -> str:
        """What a program with MLflow's client prints.

        Raises:
            RuntimeError: it failed.
        """
        found = subprocess.run(  # noqa: S603 - a program of ours, no shell
            [str(PYTHON), "-c", program, *arguments],
            cwd=self.folder,
            env={"HOME": str(self.folder), "PATH": os.environ["PATH"], "MLFLOW_TRACKING_URI": self.url, **self.keys},
            capture_output=True,
            text=True,
            check=False,
            timeout=PROGRAM_WITHIN,
        )
        if found.returncode:
            raise RuntimeError(found.stderr[-3000:])
        return found.stdout


@contextlib.contextmanager
def tracking(
    folder: Path, *, runs: RehearsedDatabase, store: RehearsedStore, bucket: str, user: str
) -> Generator[RehearsedTracking]:
    """Start a server; it makes the tables that it needs, or finds them."""
    folder.mkdir(parents=True)
    (port,) = free_ports(1)
    keys = {
        **QUIET,
        "AWS_ACCESS_KEY_ID": user,
        "AWS_SECRET_ACCESS_KEY": store.keys[user],
        "AWS_DEFAULT_REGION": REGION,
        "MLFLOW_S3_ENDPOINT_URL": store.endpoint,
    }
    command = [
        str(PYTHON), "-m", "mlflow", "server", f"--host={LOOPBACK}", f"--port={port}", "--workers=1",
        "--backend-store-uri=postgresql+psycopg2://", f"--artifacts-destination=s3://{bucket}", "--serve-artifacts",
    ]  # fmt: skip
    settings = {"HOME": str(folder), "PATH": os.environ["PATH"], **runs.login, **keys}
    with child(command, log=folder / "mlflow.log", environment=settings, folder=folder) as server:
        found = RehearsedTracking(url=f"http://{LOOPBACK}:{port}", folder=folder, keys=keys, server=server)
        until(lambda: _healthy(found), server, seconds=TRACKING_READY_WITHIN, every=0.5)
        yield found


def _healthy(found: RehearsedTracking) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(f"{found.url}/health", timeout=2).ok
    return False
