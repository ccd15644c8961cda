"""PostgreSQL on loopback, with one database."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from driver.rehearsal.built import postgres_program
from driver.rehearsal.children import LOOPBACK, child, free_ports, until, write_secret

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from driver.rehearsal.children import Child

READY_WITHIN: Final = 60.0  # seconds; a quiet machine needs about one
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
    secret = folder / "password"
    write_secret(secret, password)
    if user:
        shutil.chown(folder, user)
        shutil.chown(secret, user)
        _let_through(folder)
    files = folder / "files"
    _run(
        [
            postgres_program("initdb"), "-D", str(files), "-U", name, "--auth=scram-sha-256",
            f"--pwfile={secret}", "-E", "UTF8", "--locale=C",
        ],
        user=user,
        folder=folder,
    )  # fmt: skip
    log = folder / "postgres.log"
    command = [postgres_program("postgres"), "-D", str(files), "-h", LOOPBACK, "-p", str(port), "-k", str(folder)]
    with child(command, log=log, user=user, folder=folder) as server:
        found = RehearsedDatabase(port=port, name=name, password=password, server=server)
        until(lambda: _created(found), server, seconds=READY_WITHIN)
        yield found


def _let_through(folder: Path) -> None:
    """Let the server's user reach its folder."""
    for each in folder.parents:
        with contextlib.suppress(PermissionError):
            each.chmod(each.stat().st_mode | 0o011)


def _created(found: RehearsedDatabase) -> bool:
    command = [postgres_program("createdb"), "--maintenance-db=postgres", found.name]
    environment = {"PATH": os.environ["PATH"], **found.login}
    return subprocess.run(command, env=environment, check=False, capture_output=True).returncode == 0  # noqa: S603 - no shell


def _run(command: list[str], *, user: str | None, folder: Path) -> None:
    subprocess.run(command, user=user, check=True, capture_output=True, cwd=folder)  # noqa: S603 - no shell
