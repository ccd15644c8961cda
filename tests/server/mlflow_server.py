"""MLflow as its chart starts it with the values that the program registers, against PostgreSQL where that is there."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import requests
from control_plane import LOOPBACK, REPOSITORY, STOP_WITHIN, free_ports

from components.platform.trackers import THROUGH_PROXY

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from store_server import StoreServer

PYTHON: Final = REPOSITORY / ".venv-mlflow" / "bin" / "python"
HOW: Final = "make .venv-mlflow/.installed"
READY_WITHIN: Final = 300.0  # seconds; a quiet machine needs about twenty
UNPRIVILEGED: Final = "nobody"  # PostgreSQL refuses to run as root


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
    folder.chmod(0o755)
    with contextlib.ExitStack() as stack:
        backend, login = stack.enter_context(database(folder, values))
        found = MlflowServer(port, backend, values, folder)
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
def database(folder: Path, values: Mapping[str, Any]) -> Generator[tuple[str, dict[str, str]]]:
    """The URI of a database, and how its login is known: PostgreSQL where the machine has one, else SQLite."""
    postgres = shutil.which("postgres")
    if postgres is None or shutil.which("initdb") is None:
        yield f"sqlite:///{folder}/mlflow.db", {}
        return
    assert values["backendStore"]["postgres"]["enabled"]
    (port,) = free_ports(1)
    home = folder / "postgres"
    home.mkdir()
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    if user:
        shutil.chown(home, user)
        for each in (folder, *folder.parents):
            with contextlib.suppress(PermissionError):
                each.chmod(each.stat().st_mode | 0o011)
    name = values["backendStore"]["postgres"]["database"]
    command = ["initdb", "-D", str(home / "data"), "-U", name, "--auth=trust", "-E", "UTF8", "--locale=C"]
    subprocess.run(command, user=user, check=True, capture_output=True, cwd=home)
    settings = ["-h", LOOPBACK, "-p", str(port), "-k", str(home)]
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [postgres, "-D", str(home / "data"), *settings], user=user, stdout=log, stderr=log, cwd=home
        )
    login = {"PGHOST": LOOPBACK, "PGPORT": str(port), "PGDATABASE": name, "PGUSER": name, "PGPASSWORD": "unused"}
    try:
        created(name, login)
        yield f"postgresql+{values['backendStore']['postgres']['driver']}://", login
    finally:
        stop(process)


def created(name: str, login: Mapping[str, str]) -> None:
    """Makes the database as soon as the server answers."""
    deadline = time.monotonic() + READY_WITHIN
    command = ["createdb", "--maintenance-db=postgres", name]
    environment = {**os.environ, **login}
    while subprocess.run(command, env=environment, check=False, capture_output=True).returncode:
        assert time.monotonic() < deadline, "PostgreSQL did not answer"
        time.sleep(0.2)


def wait(server: MlflowServer, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(requests.RequestException):
            if requests.get(f"{server.url}/health", timeout=2).ok:
                return
        time.sleep(0.5)
    logs = (server.folder / "log").read_text(encoding="utf-8", errors="replace")
    raise AssertionError(f"MLflow was not healthy: {logs[-3000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def chart_values() -> Mapping[str, Any]:
    """Values of MLflow's release as the program of an existing cluster registers them."""
    sys.path.append(str(REPOSITORY / "tests" / "program"))
    import look
    from platform_samples import run_part, spec_with

    from components.platform import mlflow

    found = look.at(
        look.one(run_part("mlflow", mlflow.build, spec_with()), "kubernetes:helm.sh/v3:Release", "mlflow"), "values"
    )
    assert isinstance(found, dict)
    return found
