"""PostgreSQL on loopback, with one database."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from operations.relocation.rehearsal.processes import (
    LOOPBACK,
    ServerError,
    child,
    free_ports,
    home_of,
    until,
    write_secret,
)
from operations.relocation.rehearsal.programs import postgres_program

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from operations.relocation.rehearsal.processes import Child

DATABASE_READY_WITHIN: Final = 180.0  # seconds; a quiet machine needs about one
UNPRIVILEGED: Final = "nobody"  # PostgreSQL refuses to run as root


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedDatabase:
    """A running server and its one database, whose owner has the same name."""

    port: int
    name: str
    password: str = field(repr=False)
    server: Child

    @property
    def uri(self) -> str:
        """With the password in it."""
        return f"postgresql://{self.name}:{quote(self.password)}@{LOOPBACK}:{self.port}/{self.name}"

    @property
    def login(self) -> dict[str, str]:
        """The same as variables of libpq."""
        return {
            "PGHOST": LOOPBACK,
            "PGPORT": str(self.port),
            "PGDATABASE": self.name,
            "PGUSER": self.name,
            "PGPASSWORD": self.password,
        }


@contextlib.contextmanager
def database(folder: Path, *, name: str) -> Generator[RehearsedDatabase]:
    """Start a server in a folder that is not there yet."""
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
        with child(command, log=folder / "postgres.log", user=user, folder=home, ends_by=at_once) as server:
            found = RehearsedDatabase(port=port, name=name, password=password, server=server)
            until(lambda: _created(found), server, seconds=DATABASE_READY_WITHIN)
            yield found


def _initialize(home: Path, *, name: str, password: str, user: str | None) -> None:
    """Make the server's files.

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


def _created(found: RehearsedDatabase) -> bool:
    command = [postgres_program("createdb"), "--maintenance-db=postgres", found.name]
    environment = {"PATH": os.environ["PATH"], **found.login}
    return subprocess.run(command, env=environment, check=False, capture_output=True).returncode == 0  # noqa: S603 - no shell
