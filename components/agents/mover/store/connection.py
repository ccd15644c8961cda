"""One kept HTTP/1.1 connection to a store, written for many small requests: no parser of mail, no copies of bodies.

https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html (read 2026-11-22)
"""

from __future__ import annotations

import contextlib
import hmac
import re
import socket
import ssl
import time
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


CONNECT_WITHIN: Final = 10.0  # seconds
ANSWER_WITHIN: Final = 120.0  # seconds without a byte; a store that puts 10,000 parts together takes its time
HEAD_ROOM: Final = 65536  # bytes; the longest head of an answer that is taken
PIECE: Final = 2**20  # bytes; one write to the socket
NO_CONTENT: Final = 204
NOT_MODIFIED: Final = 304
INFORMATIONAL: Final = 200  # statuses below it announce another head


class ConnectionLostError(Exception):
    """The connection broke or said nothing that is HTTP.

    Args:
        unanswered: whether the request may have been done although no answer came.
        final: whether trying again cannot help.
    """

    def __init__(self, message: str, *, unanswered: bool = True, final: bool = False) -> None:
        super().__init__(message)
        self.unanswered = unanswered
        self.final = final


@dataclass(slots=True)
class ResponseHead:
    """Head of a response; its body is read from the connection.

    Args:
        headers: names in lower case, text as Latin-1.
        left: bytes of the body still to come; -1 for chunks or until the connection ends.
    """

    status: int
    headers: dict[str, str]
    left: int
    chunked: bool = False
    closing: bool = False


class HttpConnection:
    """An HTTP connection, opened on demand and again after a loss; for one thread."""

    def __init__(self, endpoint: str, *, authority: str = "", host: str = "") -> None:
        parts = urlsplit(endpoint)
        self._secure = parts.scheme == "https"
        self._name = host or parts.hostname or ""
        self._port = parts.port or (443 if self._secure else 80)
        self._authority = authority
        self._socket: socket.socket | None = None
        self._room = bytearray(HEAD_ROOM)
        self._view = memoryview(self._room)
        self._start = self._end = 0  # of bytes that came and were not taken
        self.used = False

    def send(
        self, method: str, target: str, headers: Mapping[str, str], body: memoryview | None = None
    ) -> ResponseHead:
        """Send a request and read the response head.

        Raises:
            ConnectionLostError: the connection broke; `unanswered` says whether the store may have done it.
        """
        lines = [f"{method} {target} HTTP/1.1", *[f"{name}: {value}" for name, value in headers.items()], "", ""]
        head = "\r\n".join(lines).encode("latin-1")
        sock = self._open()
        broken: OSError | None = None
        try:
            self._write(sock, head, body)
        except OSError as error:
            broken = error  # a store may refuse a body before it has read all of it: look for its answer
        try:
            answer = self._read_head(sock, method)
        except (OSError, ValueError) as error:
            self.drop()
            raise ConnectionLostError(_words(broken or error)) from None
        answer.closing = answer.closing or broken is not None
        self.used = True
        return answer

    def read_into(self, answer: ResponseHead, buffer: memoryview) -> int:
        """Read body bytes into the buffer; 0 at the end.

        Raises:
            ConnectionLostError: the connection broke before the end.
        """
        if answer.left == 0:
            return 0
        try:
            return self._read_chunk(answer, buffer) if answer.chunked else self._read_plain(answer, buffer)
        except (OSError, ValueError) as error:
            self.drop()
            raise ConnectionLostError(_words(error)) from None

    def read_rest(self, answer: ResponseHead, *, most: int) -> bytes:
        """Read the rest of a body.

        Raises:
            ConnectionLostError: the connection broke before the end, or the body is longer than `most`.
        """
        found = bytearray()
        room = memoryview(bytearray(min(most, HEAD_ROOM)))
        while count := self.read_into(answer, room):
            found += room[:count]
            if len(found) > most:
                self.drop()
                raise ConnectionLostError(f"an answer of more than {most} bytes")
        self.finish(answer)
        return bytes(found)

    def finish(self, answer: ResponseHead) -> None:
        """Keep the connection for the next request, or close it if that is impossible."""
        if answer.closing or answer.left:
            self.drop()

    def drop(self) -> None:
        """Close the connection; the next request reopens it."""
        sock, self._socket = self._socket, None
        self._start = self._end = 0
        self.used = False
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.close()

    def _open(self) -> socket.socket:
        if self._socket is not None:
            return self._socket
        context = _context(self._authority) if self._secure else None
        try:
            sock = socket.create_connection((self._name, self._port), CONNECT_WITHIN)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.settimeout(ANSWER_WITHIN)
            if context is not None:
                sock = context.wrap_socket(sock, server_hostname=self._name)
        except ssl.SSLCertVerificationError as error:
            words = f"its certificate is not trusted ({error.verify_message}); name the file of its authority"
            raise ConnectionLostError(words, unanswered=False, final=True) from None
        except OSError as error:
            raise ConnectionLostError(_words(error), unanswered=False) from None
        self._socket = sock
        return sock

    @staticmethod
    def _write(sock: socket.socket, head: bytes, body: memoryview | None) -> None:
        if body is None or not len(body):
            sock.sendall(head)
            return
        if len(head) + len(body) <= 2 * HEAD_ROOM:
            sock.sendall(b"".join((head, body)))  # one packet train and one call for a small object
            return
        sock.sendall(head)
        for at in range(0, len(body), PIECE):
            sock.sendall(body[at : at + PIECE])

    def _read_head(self, sock: socket.socket, method: str) -> ResponseHead:
        while True:
            text = self._read_until(sock, b"\r\n\r\n").decode("latin-1")
            first, *lines = text.split("\r\n")
            status = int(first.split(" ", 2)[1])
            if status >= INFORMATIONAL:
                break
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            name, value = name.lower(), value.strip()
            headers[name] = f"{headers[name]},{value}" if name in headers else value
        answer = ResponseHead(status, headers, left=0, closing=headers.get("connection", "").lower() == "close")
        if method == "HEAD" or status in {NO_CONTENT, NOT_MODIFIED}:
            return answer
        if "chunked" in headers.get("transfer-encoding", ""):
            answer.chunked, answer.left = True, -1
            self._start_chunk(answer)
        elif (length := headers.get("content-length")) is not None:
            answer.left = int(length)
        else:
            answer.left, answer.closing = -1, True
        return answer

    def _read_until(self, sock: socket.socket, mark: bytes) -> bytes:
        """Read up to and including the mark."""
        while (at := self._room.find(mark, self._start, self._end)) < 0:
            if self._start:
                self._room[: self._end - self._start] = self._room[self._start : self._end]
                self._start, self._end = 0, self._end - self._start
            if self._end == HEAD_ROOM:
                raise ValueError("an answer's head that is too long")
            count = sock.recv_into(self._view[self._end :])
            if not count:
                raise ConnectionResetError("closed before an answer came")
            self._end += count
        found = bytes(self._view[self._start : at])
        self._start = at + len(mark)
        return found

    def _read_plain(self, answer: ResponseHead, buffer: memoryview) -> int:
        most = len(buffer) if answer.left < 0 else min(len(buffer), answer.left)
        count = self._read_some(buffer[:most])
        if not count and answer.left > 0:
            raise ConnectionResetError("closed before the end of the body")
        answer.left = max(0, answer.left - count) if answer.left > 0 else -1 if count else 0
        return count

    def _read_some(self, buffer: memoryview) -> int:
        if self._start < self._end:
            count = min(len(buffer), self._end - self._start)
            buffer[:count] = self._view[self._start : self._start + count]
            self._start += count
            return count
        if self._socket is None:
            raise ConnectionResetError("closed")
        return self._socket.recv_into(buffer)

    def _read_chunk(self, answer: ResponseHead, buffer: memoryview) -> int:
        count = self._read_some(buffer[: min(len(buffer), answer.left)])
        if not count:
            raise ConnectionResetError("closed inside a chunk")
        answer.left -= count
        if not answer.left:
            self._read_line()
            self._start_chunk(answer)
        return count

    def _start_chunk(self, answer: ResponseHead) -> None:
        answer.left = int(self._read_line().split(b";")[0], 16)
        while not answer.left and self._read_line():
            pass  # trailers

    def _read_line(self) -> bytes:
        if self._socket is None:
            raise ConnectionResetError("closed")
        return self._read_until(self._socket, b"\r\n")


@lru_cache(maxsize=8)  # reading the system's authorities takes longer than a request
def _context(authority: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=authority or None)
    except OSError as error:
        words = f"{authority} is no file of a certificate authority: {_words(error)}"
        raise ConnectionLostError(words, unanswered=False, final=True) from None


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


EMPTY: Final = sha256().hexdigest()  # digest of a request without a body
ALGORITHM: Final = "AWS4-HMAC-SHA256"
_SPACES: Final = re.compile(" {2,}")  # one of them is signed, and all are sent
SAFE: Final = "-._~"  # all else is percent-encoded; in a path the slash stands too


def encode_path(key: str) -> str:
    """A key in a request's path, without normalization of "..", "//"."""
    return quote(key.encode(), safe="/" + SAFE)


def encode_query(pairs: Iterable[tuple[str, str]]) -> str:
    """A query in the order of the signature."""
    both = sorted((quote(name.encode(), safe=SAFE), quote(value.encode(), safe=SAFE)) for name, value in pairs)
    return "&".join([f"{name}={value}" for name, value in both])


class SigV4Signer:
    """Signer for one pair of keys in one region; the key of a day is derived once."""

    def __init__(
        self, *, access_key: str, secret_key: str, region: str, service: str = "s3", session_token: str = ""
    ) -> None:
        self._access_key = access_key
        self._session_token = session_token
        self._secret = f"AWS4{secret_key}".encode()
        self._scope = f"{region}/{service}/aws4_request"
        self._steps = (region.encode(), service.encode(), b"aws4_request")
        self._day = ""
        self._key = b""

    def sign(self, method: str, path: str, query: str, headers: Mapping[str, str], *, payload: str) -> dict[str, str]:
        """Headers of a request sent now, with its time and signature."""
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        signed = {**headers, "x-amz-content-sha256": payload, "x-amz-date": now}
        if self._session_token:
            signed["x-amz-security-token"] = self._session_token
        return {**signed, "authorization": self.build_authorization(method, path, query, signed, payload=payload)}

    def build_authorization(
        self, method: str, path: str, query: str, headers: Mapping[str, str], *, payload: str
    ) -> str:
        """Value of the Authorization header.

        Args:
            path: percent-encoded.
            query: encoded and sorted.
            headers: all that are signed, names in lower case; host and x-amz-date among them; values of Latin-1,
                without a space at either end.
            payload: digest of the body in hexadecimal.
        """
        when = headers["x-amz-date"]
        names = sorted(headers)
        signed = ";".join(names)
        lines = "\n".join([f"{name}:{_SPACES.sub(' ', headers[name])}" for name in names])
        canonical = f"{method}\n{path}\n{query}\n{lines}\n\n{signed}\n{payload}"
        scope = f"{when[:8]}/{self._scope}"
        digest = sha256(canonical.encode("latin-1")).hexdigest()
        text = f"{ALGORITHM}\n{when}\n{scope}\n{digest}"
        signature = hmac.digest(self._derive_key(when[:8]), text.encode(), "sha256").hex()
        return f"{ALGORITHM} Credential={self._access_key}/{scope},SignedHeaders={signed},Signature={signature}"

    def _derive_key(self, day: str) -> bytes:
        if day != self._day:
            key = hmac.digest(self._secret, day.encode(), "sha256")
            for step in self._steps:
                key = hmac.digest(key, step, "sha256")
            self._day, self._key = day, key
        return self._key
