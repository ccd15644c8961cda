"""Programs of the rehearsal, and servers as children of this process: logged, asked to stop, killed if they do not."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

REPOSITORY: Final = Path(__file__).resolve().parents[3]
BIN: Final = REPOSITORY / "tools" / "bin"
LOOPBACK: Final = "127.0.0.1"
STOP_WITHIN: Final = 10.0  # seconds
# Below those that a kernel gives to outgoing connections, one of which could take a port before its server does
# (ip_local_port_range begins at 32768: docs.kernel.org/networking/ip-sysctl.html; 49152 elsewhere: RFC 6335), and below
# those of Kubernetes' services (30000: kubernetes.io/docs/concepts/services-networking/service).
PORTS: Final = range(20_000, 30_000)
_NEXT: Final = itertools.count(os.getpid() * 1_009)  # processes begin far from each other, and none repeats a port
LINES_SHOWN: Final = 20


class ServerError(AtollError):
    """A server ended or did not become ready; the message has the end of its log."""


@dataclass(frozen=True, slots=True)
class Child:
    process: subprocess.Popen[bytes]
    log: Path

    def check(self) -> None:
        """Nothing while it runs.

        Raises:
            ServerError: it is gone.
        """
        if self.process.poll() is not None:
            raise ServerError(f"{self.log.stem} ended with {self.process.returncode}:\n{self.last_words()}")

    def last_words(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-LINES_SHOWN:])


@contextlib.contextmanager
def start_child(
    command: Sequence[str],
    *,
    log: Path,
    environment: Mapping[str, str] | None = None,
    user: str | None = None,
    folder: Path | None = None,
    ends_by: signal.Signals = signal.SIGTERM,
) -> Generator[Child]:
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - servers that we named, no shell
            list(command), stdout=output, stderr=subprocess.STDOUT, env=environment, user=user, cwd=folder
        )
    try:
        yield Child(process, log)
    finally:
        stop(process, by=ends_by)


def stop(process: subprocess.Popen[bytes], *, by: signal.Signals = signal.SIGTERM) -> None:
    """Terminate it; kill it if it does not end."""
    process.send_signal(by)
    try:
        process.wait(STOP_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def poll_until(ready: Callable[[], bool], started: Child, *, seconds: float, every: float = 0.2) -> None:
    """Poll until ready.

    Raises:
        ServerError: the server ended, or there was no time left.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        started.check()
        if ready():
            return
        time.sleep(every)
    raise ServerError(f"{started.log.stem} was not ready after {seconds:.0f} s:\n{started.last_words()}")


def free_ports(count: int) -> list[int]:
    """Free loopback ports that this process was not given lately."""
    ports = (PORTS[number % len(PORTS)] for number in itertools.islice(_NEXT, len(PORTS)))
    found = list(itertools.islice((each for each in ports if _is_free(each)), count))
    if len(found) < count:
        raise ServerError(f"of the ports {PORTS.start} to {PORTS.stop - 1}, fewer than {count} are free")
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as tried, contextlib.suppress(OSError):
        tried.bind((LOOPBACK, port))
        return True
    return False


@contextlib.contextmanager
def home_of(user: str | None, *, folder: Path) -> Generator[Path]:
    """A folder that the server's user can reach; another user's goes with the server."""
    if user is None:
        yield folder
        return
    # Not below our folder: those above it may be closed to another user at any time, as pytest closes its folder
    # whenever another run begins.
    with tempfile.TemporaryDirectory(prefix="atoll-server-", ignore_cleanup_errors=True) as home:
        shutil.chown(home, user)
        yield Path(home)


def write_secret(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")


WITHOUT_GO: Final = 3  # what tools/build exits with where it needs Go and finds none
SERVERS: Final = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
PYTHON: Final = REPOSITORY / ".venv-mlflow" / "bin" / "python"
NEEDED: Final = (*SERVERS, "minio", "mc")
# Debian keeps the server's programs out of PATH, in a folder for each major version.
POSTGRES_FOLDERS: Final = tuple(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))
POSTGRES: Final = ("initdb", "postgres", "createdb", "pg_dump", "pg_restore", "psql")


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
    """Path of one of PostgreSQL's programs; "" if it is missing."""
    # Debian keeps the server's programs off the PATH.
    places = [str(folder) for folder in POSTGRES_FOLDERS]
    return shutil.which(name) or shutil.which(name, path=":".join(places)) or ""
