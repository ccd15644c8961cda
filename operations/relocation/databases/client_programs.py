"""Programs of databases: found on PATH, started without a shell, told their secrets by environment or file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import ExitStack
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias

from operations.project.signals import with_parent_death_signal
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from io import BufferedWriter
    from pathlib import Path

    from operations.relocation.config.endpoints import DatabasePlace

ProgramRunner: TypeAlias = "Callable[..., str]"  # called as `run`
WORDS: Final = 600  # characters of what a program said when it failed
BLOCK: Final = 2**20
FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700


def run(
    command: Sequence[str], *, environment: Mapping[str, str], reads: Path | None = None, writes: Path | None = None
) -> str:
    """Start a program and wait; its output, unless that goes into a file.

    Raises:
        StepError: it failed; with the end of what it said.
    """
    # Not our whole environment, which holds keys of stores; LC_ALL=C keeps messages in the words that we look for.
    settings = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C", **environment}
    with ExitStack() as stack:
        given = stack.enter_context(reads.open("rb")) if reads else subprocess.DEVNULL
        taken = stack.enter_context(_new(writes)) if writes else subprocess.PIPE
        ended = subprocess.run(  # noqa: S603 - programs that we named, no shell
            with_parent_death_signal(command),
            stdin=given,
            stdout=taken,
            stderr=subprocess.PIPE,
            env=settings,
            check=False,
        )
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip()[-WORDS:]
        name = os.path.basename(command[0])  # noqa: PTH119 - a word of a command
        raise StepError(f"{name} ended with {ended.returncode}: {said}", hint="put it right and run again")
    return (ended.stdout or b"").decode(errors="replace")


def _new(path: Path) -> BufferedWriter:
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb")


def read_uri(place: DatabasePlace, secrets: Mapping[str, str]) -> str:
    """URI of a database from its environment variable.

    Raises:
        StepError: that is not set.
    """
    named = secrets.get(place.uri_env, "")
    if not named:
        raise StepError(f"{place.uri_env} is not set", hint=f"it holds the URI of the database of {place.part}")
    return named


def find_program(name: str, *, package: str) -> str:
    """Path of a program.

    Raises:
        StepError: it is not on PATH.
    """
    path = shutil.which(name)
    if path is None:
        raise StepError(f"{name} is not on PATH", hint=f"install {package}")
    return path


def major_of(said: str) -> int:
    """Major version in the output of `--version`.

    Raises:
        StepError: none is in it.
    """
    match = re.search(r"(\d+)(?:\.\d+)*", said.partition(")")[2] or said)
    if match is None:
        raise StepError(f"no version in {said.strip()!r}")
    return int(match[1])


def digest_of(path: Path) -> str:
    whole = sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            whole.update(block)
    return whole.hexdigest()


def own_folder(path: Path) -> Path:
    """Make a folder that only its owner may read."""
    path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    # Once more, for a folder that was there already: mkdir sets its mode only on a new one.
    path.chmod(FOLDER_MODE)
    return path


def persist_file(unfinished: Path, path: Path) -> str:
    """Sync a finished file and give it its name; its digest."""
    with unfinished.open("rb") as file:
        # Before the rename, or a power cut could leave the name with an empty file.
        os.fsync(file.fileno())
    digest = digest_of(unfinished)
    unfinished.chmod(FILE_MODE)
    unfinished.replace(path)
    return digest
