"""A store's side of the wire, as a script: unix sockets, no port."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import pytest

from components.agents.mover.store.model import BucketEndpoint
from components.agents.mover.store.s3_client import S3Store, connect

SECRET = "the-secret-key"
TOKEN = "the-session-token"
PLACE = BucketEndpoint(
    endpoint="http://store.example:9000",
    region="us-east-1",
    bucket="bucket",
    access_key="the-access-key",
    secret_key=SECRET,
    session_token=TOKEN,
)
HANG_UP = b""


@dataclass
class Asked:
    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class ScriptedStore:
    """Answers in turn; `HANG_UP` closes the connection after the request was read."""

    answers: list[bytes]
    asked: list[Asked] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    hosts: list[tuple[str, int]] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def connection(self, address: tuple[str, int], timeout: float | None = None) -> socket.socket:
        del timeout
        self.hosts.append(address)
        if not self.answers:
            raise ConnectionRefusedError(111, "Connection refused")
        ours, theirs = socket.socketpair()
        thread = threading.Thread(target=self._serve, args=(theirs,), daemon=True)
        self.threads.append(thread)
        thread.start()
        return ours

    def _serve(self, sock: socket.socket) -> None:
        with sock, sock.makefile("rb") as lines:
            while self.answers:
                first = lines.readline().decode().strip()
                if not first:
                    return
                headers = dict(self._headers(lines))
                body = lines.read(int(headers.get("content-length", "0")))
                self.asked.append(Asked(first, headers, body))
                answer = self.answers.pop(0)
                if not answer:
                    return
                sock.sendall(answer)
                if b"connection: close" in answer:
                    return

    @staticmethod
    def _headers(lines: BinaryIO) -> Iterator[tuple[str, str]]:
        while line := lines.readline().decode("latin-1").rstrip("\r\n"):
            name, _, value = line.partition(": ")
            yield name, value


def answer(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Word", f"content-length: {len(body)}", "date: Sun, 22 Nov 2026 08:00:00 GMT"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def refusal(status: int, code: str, message: str = "") -> bytes:
    text = f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>{message}</Message></Error>'
    return answer(status, text.encode())


class Scripts:
    """Makes stores whose answers are told beforehand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self._stores: list[S3Store] = []

    def __call__(self, *answers: bytes, place: BucketEndpoint = PLACE) -> tuple[S3Store, ScriptedStore]:
        script = ScriptedStore(list(answers))
        self._patch.setattr("components.agents.mover.store.connection.socket.create_connection", script.connection)
        self._patch.setattr("components.agents.mover.store.s3_client.time.sleep", script.waited.append)
        self._patch.setattr(socket.socket, "setsockopt", lambda *_: None)
        self._stores.append(connect(place))
        return self._stores[-1], script

    def close(self) -> None:
        for each in self._stores:
            each.close()
