"""Servers of a rehearsal on loopback: MinIO with its users, PostgreSQL, and MLflow's tracking server."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import requests

from components.agents.mover.store.model import BucketEndpoint
from operations.relocation.rehearsal.processes import (
    BIN,
    LOOPBACK,
    PYTHON,
    Child,
    ServerError,
    free_ports,
    home_of,
    poll_until,
    postgres_program,
    start_child,
    write_secret,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path


ROOT: Final = "rehearsal-root"
MOVER: Final = "mover"
REGION: Final = "us-east-1"
STORE_READY_WITHIN: Final = 180.0  # seconds; a quiet machine needs about two
ASKED_WITHIN: Final = 180.0
ALIAS: Final = "rehearsed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedStore:
    """A running store.

    Args:
        keys: user to secret key, root among them.
        drive: folder that the server keeps its objects in.
    """

    endpoint: str
    drive: Path
    keys: Mapping[str, str] = field(repr=False)
    server: Child

    def place(self, bucket: str, *, user: str) -> BucketEndpoint:
        return BucketEndpoint(
            endpoint=self.endpoint, region=REGION, bucket=bucket, access_key=user, secret_key=self.keys[user]
        )

    def administer(self, *arguments: str, told: str = "") -> None:
        """Run MinIO's client as root; `told` is its standard input.

        Raises:
            RuntimeError: it failed.
        """
        address = self.endpoint.removeprefix("http://")
        found = subprocess.run(  # noqa: S603 - built by us, no shell
            [str(BIN / "mc"), "--quiet", *arguments],
            env={
                "PATH": os.environ["PATH"],
                "MC_CONFIG_DIR": str(self.drive.parent / "mc"),
                f"MC_HOST_{ALIAS}": f"http://{ROOT}:{self.keys[ROOT]}@{address}",
            },
            input=told,
            capture_output=True,
            text=True,
            check=False,
            timeout=ASKED_WITHIN,
        )
        if found.returncode:
            raise RuntimeError(f"mc {' '.join(arguments[:3])}: {found.stderr[-500:]}")


@contextlib.contextmanager
def store(folder: Path, *, buckets: Sequence[str], writers: Mapping[str, Sequence[str]]) -> Generator[RehearsedStore]:
    """Start a store with its buckets, a copy worker's user for all of them, and writers with limited rights.

    Args:
        writers: user to the buckets that it may write.
    """
    folder.mkdir(parents=True)
    (port,) = free_ports(1)
    keys = {user: secrets.token_hex(20) for user in (ROOT, MOVER, *writers)}
    drive = folder / "drive"
    drive.mkdir()
    settings = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "MINIO_ROOT_USER": ROOT,
        "MINIO_ROOT_PASSWORD": keys[ROOT],
        "MINIO_CI_CD": "on",  # a drive on the root disk
        "MINIO_BROWSER": "off",
    }
    command = [str(BIN / "minio"), "server", str(drive), "--address", f"{LOOPBACK}:{port}", "--quiet"]
    with start_child(command, log=folder / "minio.log", environment=settings) as server:
        found = RehearsedStore(endpoint=f"http://{LOOPBACK}:{port}", drive=drive, keys=keys, server=server)
        poll_until(lambda: _answers(found), server, seconds=STORE_READY_WITHIN)
        _furnish(found, buckets=buckets, writers=writers)
        yield found


def _answers(found: RehearsedStore) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(f"{found.endpoint}/minio/health/ready", timeout=2).ok
    return False


def _furnish(found: RehearsedStore, *, buckets: Sequence[str], writers: Mapping[str, Sequence[str]]) -> None:
    for bucket in buckets:
        found.administer("mb", f"{ALIAS}/{bucket}")
        found.administer("version", "enable", f"{ALIAS}/{bucket}")
    for user, rights in {MOVER: buckets, **writers}.items():
        path = found.drive.parent / f"policy-{user}.json"
        path.write_text(json.dumps(_policy(rights)), encoding="utf-8")
        found.administer("admin", "policy", "create", ALIAS, f"{user}-own", str(path))
        found.administer("admin", "user", "add", ALIAS, told=f"{user}\n{found.keys[user]}\n")
        found.administer("admin", "policy", "attach", ALIAS, f"{user}-own", "--user", user)


def _policy(buckets: Sequence[str]) -> dict[str, object]:
    arns = [f"arn:aws:s3:::{bucket}" for bucket in buckets]
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["s3:*"], "Resource": [*arns, *(f"{each}/*" for each in arns)]}],
    }


DATABASE_READY_WITHIN: Final = 180.0  # seconds; a quiet machine needs about one
UNPRIVILEGED: Final = "nobody"  # PostgreSQL refuses to run as root


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedDatabase:
    """A running server with one database, whose owner has the same name."""

    port: int
    name: str
    password: str = field(repr=False)
    server: Child

    @property
    def uri(self) -> str:
        return f"postgresql://{self.name}:{quote(self.password)}@{LOOPBACK}:{self.port}/{self.name}"

    @property
    def login(self) -> dict[str, str]:
        """Login as variables of libpq."""
        return {
            "PGHOST": LOOPBACK,
            "PGPORT": str(self.port),
            "PGDATABASE": self.name,
            "PGUSER": self.name,
            "PGPASSWORD": self.password,
        }


@contextlib.contextmanager
def database(folder: Path, *, name: str) -> Generator[RehearsedDatabase]:
    """Start a server in a new folder."""
    folder.mkdir(parents=True)
    (port,) = free_ports(1)
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    password = secrets.token_hex(20)
    with home_of(user, folder=folder) as home:
        _initialize(home, name=name, password=password, user=user)
        command = [postgres_program("postgres"), "-D", str(home / "files"), "-h", LOOPBACK, "-p", str(port)]
        command += ["-k", str(home)]
        # SIGTERM would wait for clients to leave (postgresql.org/docs/15/server-shutdown.html).
        at_once = signal.SIGINT
        with start_child(command, log=folder / "postgres.log", user=user, folder=home, ends_by=at_once) as server:
            found = RehearsedDatabase(port=port, name=name, password=password, server=server)
            poll_until(lambda: _create_database(found), server, seconds=DATABASE_READY_WITHIN)
            yield found


def _initialize(home: Path, *, name: str, password: str, user: str | None) -> None:
    """Create the server's files.

    Raises:
        ServerError: its program failed.
    """
    secret = home / "password"
    write_secret(secret, password)
    if user:
        shutil.chown(secret, user)
    command = [postgres_program("initdb"), "-D", str(home / "files"), "-U", name, "--auth=scram-sha-256"]
    command += [f"--pwfile={secret}", "-E", "UTF8", "--locale=C"]
    done = subprocess.run(command, user=user, check=False, capture_output=True, text=True, cwd=home)  # noqa: S603 - no shell
    if done.returncode:
        raise ServerError(f"initdb ended with {done.returncode}:\n{done.stderr[-1000:]}")


def _create_database(found: RehearsedDatabase) -> bool:
    command = [postgres_program("createdb"), "--maintenance-db=postgres", found.name]
    environment = {"PATH": os.environ["PATH"], **found.login}
    return subprocess.run(command, env=environment, check=False, capture_output=True).returncode == 0  # noqa: S603 - no shell


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
    url: str
    folder: Path
    keys: Mapping[str, str] = field(repr=False)
    server: Child

    def run(self, program: str, *arguments: str) -> str:
        """Run a program with MLflow's client; its output.

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
    """Start a server; it creates or migrates its tables."""
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
    with start_child(command, log=folder / "mlflow.log", environment=settings, folder=folder) as server:
        found = RehearsedTracking(url=f"http://{LOOPBACK}:{port}", folder=folder, keys=keys, server=server)
        poll_until(lambda: _healthy(found), server, seconds=TRACKING_READY_WITHIN, every=0.5)
        yield found


def _healthy(found: RehearsedTracking) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(f"{found.url}/health", timeout=2).ok
    return False
