"""MLflow as its chart starts it with the values that the program registers, against PostgreSQL where that is there."""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import requests
from control_plane import LOOPBACK, REPOSITORY, free_ports
from waiting import wait_until

from components.platform.teams.pod_defaults import THROUGH_PROXY
from operations.relocation.rehearsal.processes import postgres_program, stop
from operations.relocation.rehearsal.servers import database

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from store_server import StoreServer

PYTHON: Final = REPOSITORY / ".venv-mlflow" / "bin" / "python"
HOW: Final = "make .venv-mlflow/.installed"


@dataclass(frozen=True)
class MlflowServer:
    """A running server.

    Args:
        backend: URI of its database, as it was started with.
        values: of the chart, from which its arguments follow.
    """

    port: int
    backend: str
    values: Mapping[str, Any]
    folder: Path

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def run(self, program: str, *arguments: str) -> str:
        """What a program with MLflow's own client prints: it knows the server's address, and no key of the store."""
        home = {"HOME": str(self.folder), "PATH": os.environ["PATH"], "MLFLOW_TRACKING_URI": self.url}
        found = subprocess.run(
            [str(PYTHON), "-c", program, *arguments],
            cwd=self.folder,
            env={**home, **THROUGH_PROXY, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert found.returncode == 0, found.stderr[-3000:]
        return found.stdout


@contextlib.contextmanager
def running_mlflow(folder: Path, store: StoreServer, values: Mapping[str, Any]) -> Generator[MlflowServer]:
    """Start database and server, wait until it is healthy, stop both at the end."""
    (port,) = free_ports(1)
    with contextlib.ExitStack() as stack:
        uri, login = stack.enter_context(backend(folder, values))
        found = MlflowServer(port, uri, values, folder)
        log = stack.enter_context((folder / "log").open("wb"))
        process = subprocess.Popen(
            [str(PYTHON), "-m", "mlflow", *arguments(found)],
            env={"HOME": str(folder), "PATH": os.environ["PATH"], **login, **environment(found, store)},
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        stack.callback(stop, process)
        wait(found, process)
        yield found


def arguments(server: MlflowServer) -> list[str]:
    """The container's arguments as templates/deployment.yaml of the chart (1.11.5) writes them."""
    artifacts = server.values["artifactRoot"]
    assert artifacts["proxiedArtifactStorage"]
    assert server.values["serviceMonitor"]["enabled"]
    place = artifacts["s3"]
    return [
        "server",
        f"--host={LOOPBACK}",
        f"--port={server.port}",
        f"--backend-store-uri={server.backend}",
        f"--artifacts-destination=s3://{place['bucket']}/{place['path']}",
        "--serve-artifacts",
        f"--expose-prometheus={server.folder}/metrics",
        "--uvicorn-opts='--log-level=info'",
        *(f"--{name}={value}" for name, value in server.values["extraArgs"].items()),
    ]


def environment(server: MlflowServer, store: StoreServer) -> dict[str, str]:
    """The container's environment; the store's address and its authority's file are those of this machine."""
    said = dict(server.values["extraEnvVars"])
    here = {"MLFLOW_S3_ENDPOINT_URL": store.endpoint, "AWS_CA_BUNDLE": str(store.authority)}
    assert set(here) <= set(said)
    return {
        **said,
        **here,
        "MLFLOW_SERVER_ALLOWED_HOSTS": ",".join([*server.values["serverAllowedHosts"], f"{LOOPBACK}:{server.port}"]),
        "MLFLOW_SERVER_CORS_ALLOWED_ORIGINS": ",".join(server.values["corsAllowedOrigins"]),
        "MLFLOW_FLASK_SERVER_SECRET_KEY": "of-this-test",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        "AWS_ACCESS_KEY_ID": "mlflow",
        "AWS_SECRET_ACCESS_KEY": store.key("mlflow"),
    }


@contextlib.contextmanager
def backend(folder: Path, values: Mapping[str, Any]) -> Generator[tuple[str, Mapping[str, str]]]:
    """The URI of a database, and how its login is known: PostgreSQL where the machine has one, else SQLite."""
    if not (postgres_program("postgres") and postgres_program("initdb")):
        yield f"sqlite:///{folder}/mlflow.db", {}
        return
    wanted = values["backendStore"]["postgres"]
    assert wanted["enabled"]
    with database(folder / "postgres", name=wanted["database"]) as found:
        yield f"postgresql+{wanted['driver']}://", found.login


def wait(server: MlflowServer, process: subprocess.Popen[bytes]) -> None:
    def health() -> str:
        log = (server.folder / "log").read_text(encoding="utf-8", errors="replace")
        assert process.poll() is None, f"MLflow ended: {log[-3000:]}"
        with contextlib.suppress(requests.RequestException):
            return str(requests.get(f"{server.url}/health", timeout=10).status_code)
        return log[-3000:]

    wait_until(health, lambda said: said == "200", what="MLflow is healthy")


def chart_values() -> Mapping[str, Any]:
    """Values of MLflow's release as the program of an existing cluster registers them."""
    import look
    from platform_samples import run_part, spec_with

    from components.platform.experiments import mlflow

    found = look.at(
        look.one(run_part("mlflow", mlflow.build, spec_with()), "kubernetes:helm.sh/v3:Release", "mlflow"), "values"
    )
    assert isinstance(found, dict)
    return found
