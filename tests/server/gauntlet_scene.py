"""Two real stores without cluster and database, and `atoll relocate` between them as a process of its own."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import yaml
from waiting import WITHIN, wait_until

from components.agents.mover.store.model import Head, StoreError
from components.agents.mover.store.s3_client import S3Store, connect
from operations.relocation.buckets.preflight import room_left
from operations.relocation.config.endpoints import StorePlace
from operations.relocation.rehearsal.processes import BIN, LOOPBACK, REPOSITORY, free_ports, poll_until, start_child
from operations.relocation.rehearsal.servers import MOVER, REGION, ROOT, RehearsedStore

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

WRITER = "engineer"
PAIR = ("here", "there")
ENTRY = ("-m", "cli.main.entry")


def opened(store: RehearsedStore, bucket: str, user: str = ROOT) -> contextlib.closing[S3Store]:
    """A bucket, for as long as a block lasts."""
    return contextlib.closing(connect(store.place(bucket, user=user)))


def put(store: S3Store, key: str, content: bytes) -> None:
    """Write one object."""
    digest = sha256(content).hexdigest()
    store.put(key, memoryview(content), sha256=digest, like=Head(size=0, etag=""), tags=(("of", "gauntlet"),))


def put_in_parts(store: S3Store, key: str, *parts: bytes) -> None:
    """Write one object of several parts, whose ETag is no digest of its bytes."""
    upload = store.create_upload(key, like=Head(size=0, etag=""))
    etags = [
        store.upload_part(key, upload, number, memoryview(each), sha256=sha256(each).hexdigest())
        for number, each in enumerate(parts, 1)
    ]
    store.complete_upload(key, upload, etags)


def put_all(store: RehearsedStore, bucket: str, keys: Iterable[str], content: Callable[[str], bytes]) -> None:
    """Write many."""
    with opened(store, bucket) as found:
        for key in keys:
            put(found, key, content(key))


def held(store: RehearsedStore, bucket: str) -> list[tuple[Any, ...]]:
    """Every version of a bucket by what would show that somebody touched it."""
    with opened(store, bucket) as found:
        return [
            (each.key, each.version, each.etag, each.modified, each.size, each.deleted)
            for each in found.list_versions()
        ]


def contents(store: RehearsedStore, bucket: str) -> dict[str, tuple[str, int]]:
    """What a reader sees: keys, etags and sizes."""
    with opened(store, bucket) as found:
        return {each.key: (each.etag, each.size) for each in found.list_objects()}


@dataclass(frozen=True)
class Ended:
    code: int
    said: str


@dataclass
class Relocation:
    """One bucket on its way, in a project of its own."""

    folder: Path
    source: RehearsedStore
    target: RehearsedStore
    bucket: str
    into: str = ""
    endpoints: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    entry: tuple[str, ...] = ENTRY
    secrets: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "Pulumi.yaml").write_text("name: gauntlet\nruntime: python\n", encoding="utf-8")
        for side, store in (("source", self.source), ("target", self.target)):
            for word, user in (("MOVER", MOVER), ("WRITER", WRITER), ("ADMIN", ROOT)):
                prefix = f"{side.upper()}_{word}"
                self.secrets |= {f"{prefix}_KEY": user, f"{prefix}_SECRET": store.keys.get(user, "")}

    @property
    def journal(self) -> Path:
        return self.folder / "relocations" / "--".join(PAIR) / "journal.jsonl"

    def places(self) -> Path:
        form: dict[str, Any] = {
            "source": self._side("source", self.source),
            "target": self._side("target", self.target),
            "buckets": [{"source": self.bucket, "target": self.into or self.bucket}],
            "window_minutes": 10,
            "observe_minutes": 0,
        }
        form |= {name: value for name, value in self.more.items() if "." not in name}
        for name, value in self.more.items():
            if "." in name:
                side, word = name.split(".")
                _set(form[side]["store"], word, value)
        path = self.folder / "relocation.yaml"
        path.write_text(yaml.safe_dump(form), encoding="utf-8")
        return path

    def run(self, name: str, *arguments: str) -> Ended:
        """One command to its end, which is never a traceback."""
        with self.start(name, *arguments) as started:
            said, _ = started.communicate(timeout=WITHIN)
        assert "Traceback" not in said, said
        for word, value in self.secrets.items():
            assert not (value and word.endswith("SECRET") and value in said), word
        return Ended(started.returncode, " ".join(said.split()))

    def until(self, step: str) -> Ended:
        return self.run("run", "--until", step)

    def start(self, name: str, *arguments: str) -> subprocess.Popen[str]:
        places = () if name == "status" else ("--places", str(self.places()))
        return subprocess.Popen(
            [sys.executable, *self.entry, "relocate", name, *PAIR, *places, *arguments],
            cwd=self.folder,
            env={
                "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(REPOSITORY),
                "HOME": str(self.folder),
                "COLUMNS": "400",
                **self.secrets,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    def await_objects(self, count: int, started: subprocess.Popen[str]) -> None:
        """Wait until so many objects are at the target and the copy is still under way."""

        def copied() -> int:
            assert started.poll() is None, started.communicate()[0]
            with contextlib.suppress(StoreError):  # its bucket is made on the way
                return len(contents(self.target, self.into or self.bucket))
            return 0

        wait_until(copied, lambda found: found >= count, what=f"{count} objects at the target")

    def await_word(self, started: subprocess.Popen[str]) -> None:
        """Wait until it writes its first word into the journal."""
        known = len(self.begun())
        deadline = time.monotonic() + WITHIN
        while started.poll() is None and time.monotonic() < deadline and len(self.begun()) == known:
            time.sleep(0.01)

    def done(self) -> list[str]:
        """Steps that the journal calls done."""
        return self._steps("done")

    def begun(self) -> list[str]:
        """Steps that were begun, as often as they were."""
        return self._steps("begun")

    def _steps(self, kind: str) -> list[str]:
        text = self.journal.read_text(encoding="utf-8") if self.journal.exists() else ""
        whole = [json.loads(each) for each in text.split("\n")[:-1]]
        return [each["step"] for each in whole if each["kind"] == kind]

    def _side(self, side: str, store: RehearsedStore) -> dict[str, Any]:
        keys = {
            word.lower(): {
                "access_key_env": f"{side.upper()}_{name}_KEY",
                "secret_key_env": f"{side.upper()}_{name}_SECRET",
            }
            for word, name in {"mover": "MOVER", "canary": "WRITER", "admin": "ADMIN"}.items()
        }
        endpoint = self.endpoints.get(side, store.endpoint)
        stack = PAIR[side == "target"]
        return {"stack": stack, "store": {"kind": "minio", "endpoint": endpoint, "region": REGION, **keys}}


def _set(form: dict[str, Any], word: str, value: object) -> None:
    if value is None:
        form.pop(word, None)
    else:
        form[word] = value


@contextlib.contextmanager
def small_store(folder: Path, *, mib: int) -> Generator[RehearsedStore]:
    """A store on a drive of so many MiB, in a mount of its own that ends with its server."""
    drive = folder / "drive"
    drive.mkdir(parents=True)
    (port,) = free_ports(1)
    key = "small-root-secret"
    server = f"exec {BIN}/minio server {drive} --address {LOOPBACK}:{port} --quiet"
    mount = f"mount -t tmpfs -o size={mib}m none {drive}"
    command = ["unshare", "--user", "--mount", "--map-root-user", "sh", "-c", f"{mount} && {server}"]
    settings = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "MINIO_ROOT_USER": ROOT,
        "MINIO_ROOT_PASSWORD": key,
        "MINIO_CI_CD": "on",
        "MINIO_BROWSER": "off",
    }
    with start_child(command, log=folder / "minio.log", environment=settings) as started:
        keys = {ROOT: key, MOVER: key, WRITER: key}
        found = RehearsedStore(endpoint=f"http://{LOOPBACK}:{port}", drive=drive, keys=keys, server=started)
        poll_until(lambda: _ready(found), started, seconds=WITHIN)
        yield found


def await_room(store: RehearsedStore, *, mib: range) -> None:
    """Wait until the server itself says that so much is free.

    It answers a delete before its bytes are given back, and what it says of its drives may be a second old.
    """
    keys = {"access_key_env": "KEY", "secret_key_env": "SECRET"}
    form = {"kind": "minio", "endpoint": store.endpoint, "region": REGION, "admin": keys, "mover": keys}
    place = StorePlace.model_validate(form)
    wait_until(
        lambda: (room_left(place, {"KEY": ROOT, "SECRET": store.keys[ROOT]}) or -1) // 2**20,
        lambda left: left in mib,
        what=f"from {mib.start} to {mib.stop} MiB are free",
    )


def may_mount() -> bool:
    """Whether this machine lets us have mounts of our own."""
    asked = ["unshare", "--user", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "none", "/mnt"]
    with contextlib.suppress(OSError):
        return subprocess.run(asked, check=False, capture_output=True).returncode == 0
    return False


def _ready(found: RehearsedStore) -> bool:
    parts = urlsplit(found.endpoint)
    asked = http.client.HTTPConnection(parts.netloc, timeout=2)
    with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(asked):
        asked.request("GET", "/minio/health/ready")
        return asked.getresponse().status == 200
    return False


@contextlib.contextmanager
def between(store: RehearsedStore, change: Callable[..., tuple[int, bytes] | None]) -> Generator[str]:
    """A proxy before a store that passes signatures on; `change` may answer itself, or change an answer's headers."""
    netloc = urlsplit(store.endpoint).netloc

    class Passing(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return None
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            own = change(self.command, self.path, None)
            if own is not None:
                return self._answer(own[0], {"content-type": "application/xml"}, own[1])
            asked = http.client.HTTPConnection(netloc, timeout=60)
            asked.request(self.command, self.path, body=body or None, headers=dict(self.headers.items()))
            got = asked.getresponse()
            content = got.read()
            headers = {name.lower(): value for name, value in got.getheaders()}
            change(self.command, self.path, headers)
            asked.close()
            return self._answer(got.status, headers, content)

        def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
            kept = {name: value for name, value in headers.items() if name not in {"transfer-encoding", "connection"}}
            if self.command != "HEAD":
                kept["content-length"] = str(len(content))
            self.send_response_only(status)
            for name, value in kept.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    server = http.server.ThreadingHTTPServer((LOOPBACK, 0), Passing)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{LOOPBACK}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
