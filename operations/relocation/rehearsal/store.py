"""A MinIO on loopback with one drive, its users made by its own client, as on a cluster nobody works as root."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import requests

from components.agents.mover.store.model import Place
from operations.relocation.rehearsal.processes import BIN, LOOPBACK, child, free_ports, until

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from operations.relocation.rehearsal.processes import Child

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

    def place(self, bucket: str, *, user: str) -> Place:
        """A bucket as one of the users reaches it."""
        return Place(endpoint=self.endpoint, region=REGION, bucket=bucket, access_key=user, secret_key=self.keys[user])

    def administer(self, *arguments: str, told: str = "") -> None:
        """Run MinIO's client as root; `told` goes to its standard input.

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
    """Start a store with its buckets, a mover for all of them, and writers with rights to some.

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
    with child(command, log=folder / "minio.log", environment=settings) as server:
        found = RehearsedStore(endpoint=f"http://{LOOPBACK}:{port}", drive=drive, keys=keys, server=server)
        until(lambda: _answers(found), server, seconds=STORE_READY_WITHIN)
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
