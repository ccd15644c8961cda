"""HTTP requests bounded in size and time: a login stays with its host, and only what is safe is sent again."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Self, final
from urllib.parse import urljoin, urlsplit

import requests
import requests.auth
from urllib3.exceptions import LocationParseError

from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

SECONDS: Final = 30.0
TRIES: Final = 4
LONGEST_PAUSE: Final = 60.0  # seconds; a server may ask for an hour
LARGEST: Final = 64 << 20  # bytes of an answer; the largest index of a chart repository has a fifth of it
BLOCK: Final = 1 << 16
LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
UNTRUSTED: Final = "its certificate is not trusted here: name the file of who signed it in REQUESTS_CA_BUNDLE"
UNREACHABLE: Final = "is it reachable from here?"
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


class HttpError(AtollError):
    """No answer, or none that can be used.

    Args:
        status: of the answer; 0 where nothing came back.
    """

    def __init__(self, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.status = status

    @property
    def refused(self) -> bool:
        """Whether the login may not do this, which no retry mends."""
        return self.status in {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}


class AnswerTooLargeError(HttpError):
    """The answer is larger than its limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """An answer, whatever its status; names of headers are lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


def is_secure(url: str) -> bool:
    """Whether what is sent there stays secret: HTTPS, or plain HTTP to this machine itself."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in LOCAL))


@final
class HttpSession:
    """Requests over kept connections.

    Args:
        token: bearer token for every address that is asked, but not for those to which it redirects.
        netrc: whether a login of ~/.netrc is used where there is no token.
        seconds: for a connection, and for each read.
        plain: whether plain HTTP to other machines is allowed, as to servers of a private network; never with a token.
        sleep: waits between tries.
    """

    def __init__(
        self,
        *,
        token: str = "",
        netrc: bool = False,
        headers: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
        plain: bool = False,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.connections = requests.Session()
        self.connections.headers.update({"User-Agent": "atoll", **(headers or {})})
        self._without_token = None if netrc else _keep_login  # None lets the library look into ~/.netrc
        self._login = _BearerLogin(token) if token else self._without_token
        self._seconds = seconds
        self._plain = plain and not token
        self._sleep = sleep or time.sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connections.close()

    def request(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        redirects: int = 0,
        own_host: bool = False,
        most_bytes: int | None = None,
        repeatable: bool = True,
    ) -> HttpResponse:
        """The answer, after some tries.

        Args:
            body: sent as JSON.
            redirects: how many are followed; the login goes to no other host with them.
            own_host: whether a redirect to another host is refused.
            repeatable: whether sending it twice does no harm.

        Raises:
            HttpError: not HTTPS, a redirect included, or no answer.
            AnswerTooLargeError: the answer is longer than `most_bytes`, or 64 MiB.
        """
        sent = dict(headers or {})
        login = _keep_login if "Authorization" in sent else self._login
        if body is not None:
            sent["Content-Type"] = "application/json"
        content = None if body is None else json.dumps(body).encode()
        there = url
        for _ in range(redirects + 1):
            if not (self._plain or is_secure(there)):
                raise HttpError(f"{url} is not HTTPS")
            call = partial(
                self.connections.request, method, there, params=query, data=content, headers=sent, auth=login
            )
            answer = self._try(call, url, most_bytes=most_bytes or LARGEST, repeatable=repeatable)
            if not redirects or answer.status not in REDIRECTS:
                return answer
            there, same_host = _redirect_target(there, answer, name=url, own_host=own_host)
            query = None
            if not same_host:
                sent.pop("Authorization", None)
                login = self._without_token
        raise HttpError(f"{url} leads from redirect to redirect")

    @contextmanager
    def stream(
        self, url: str, *, headers: Mapping[str, str] | None = None, most_bytes: int
    ) -> Generator[Iterator[bytes]]:
        """The body of an answer block by block, where the whole is too large for memory; no redirect is followed.

        Raises:
            HttpError: not HTTPS, no answer, a status other than 200, or the body ends before its end.
            AnswerTooLargeError: the body is longer than `most_bytes`.
        """
        if not (self._plain or is_secure(url)):
            raise HttpError(f"{url} is not HTTPS")
        with ExitStack() as held:
            opened = self._open_stream(url, headers=dict(headers or {}), held=held)
            if opened.status_code != HTTPStatus.OK:
                raise HttpError(f"{url} answers {opened.status_code}", status=opened.status_code)
            yield _read_blocks(opened, url, most_bytes=most_bytes)

    def _open_stream(self, url: str, *, headers: dict[str, str], held: ExitStack) -> requests.Response:
        self.connections.trust_env = url.startswith("https://")
        for turn in range(1, TRIES + 1):
            pause = 2.0**turn
            try:
                opened = self.connections.get(
                    url, headers=headers, auth=self._login, timeout=self._seconds, stream=True, allow_redirects=False
                )
            except requests.RequestException as error:
                if turn == TRIES:
                    raise HttpError(f"{url}: {type(error).__name__}", hint=UNREACHABLE) from error
            else:
                held.callback(opened.close)
                begun = HttpResponse(status=opened.status_code, headers=_lower(opened))
                if turn == TRIES or not _is_passing(begun, repeatable=True):
                    return opened
                pause = _pause(begun, pause)
            self._sleep(pause)
        raise AssertionError

    def _try(
        self, call: Callable[..., requests.Response], name: str, *, most_bytes: int, repeatable: bool
    ) -> HttpResponse:
        # An address that a server redirected to may hold a signature: errors say the one that was asked, `name`.
        # To this machine itself no proxy of the environment may see the token.
        self.connections.trust_env = name.startswith("https://")
        for turn in range(1, TRIES + 1):
            pause = 2.0**turn
            try:
                with call(timeout=self._seconds, stream=True, allow_redirects=False) as opened:
                    answer = _read_answer(opened, name, most_bytes=most_bytes)
            except (requests.RequestException, LocationParseError) as error:
                untrusted = isinstance(error, requests.exceptions.SSLError)
                hopeless = untrusted or isinstance(error, LocationParseError)
                if turn == TRIES or hopeless or not repeatable:
                    hint = UNTRUSTED if untrusted else UNREACHABLE
                    raise HttpError(f"{name}: {type(error).__name__}", hint=hint) from error
            except ValueError as error:  # the library reads a redirect that it does not follow
                raise HttpError(f"{name} redirects to an address that is none") from error
            else:
                if turn == TRIES or not _is_passing(answer, repeatable=repeatable):
                    return answer
                pause = _pause(answer, pause)
            self._sleep(pause)
        raise AssertionError


def _read_answer(answer: requests.Response, name: str, *, most_bytes: int) -> HttpResponse:
    body = bytearray()
    for block in answer.iter_content(BLOCK):
        body += block
        if len(body) > most_bytes:
            raise AnswerTooLargeError(f"{name} is longer than {most_bytes >> 20} MiB")
    return HttpResponse(status=answer.status_code, headers=_lower(answer), body=bytes(body))


def _lower(answer: requests.Response) -> dict[str, str]:
    return {key.lower(): value for key, value in answer.headers.items()}


def _pause(answer: HttpResponse, seconds: float) -> float:
    """Seconds until the next try: what the server asks for, else `seconds`, and a minute at most."""
    asked = answer.headers.get("retry-after", "")
    # A server may ask for an hour, and nobody waits that long at a terminal.
    return min(float(asked) if asked.isdecimal() else seconds, LONGEST_PAUSE)


def _read_blocks(answer: requests.Response, name: str, *, most_bytes: int) -> Iterator[bytes]:
    size = 0
    try:
        for block in answer.iter_content(BLOCK):
            size += len(block)
            if size > most_bytes:
                raise AnswerTooLargeError(f"{name} is longer than {most_bytes >> 20} MiB")
            yield block
    except requests.RequestException as error:
        raise HttpError(f"{name} broke off after {size:,} bytes") from error


class _BearerLogin(requests.auth.AuthBase):
    """A bearer token that prints as nothing."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, r: requests.PreparedRequest) -> requests.PreparedRequest:
        r.headers["Authorization"] = f"Bearer {self._token}"
        return r


def _keep_login(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _redirect_target(url: str, answer: HttpResponse, *, name: str, own_host: bool) -> tuple[str, bool]:
    """Where a redirect leads, and whether that is the same host.

    Raises:
        HttpError: to no address, from HTTPS to plain HTTP, or to another host where only one's own is allowed.
    """
    try:
        target = urljoin(url, answer.headers.get("location", ""))
        here, there = urlsplit(url), urlsplit(target)
    except ValueError as error:
        raise HttpError(f"{name} redirects to an address that is none") from error
    if not is_secure(target) or (here.scheme == "https" and there.scheme != "https"):
        raise HttpError(f"{name} redirects to what is not HTTPS")
    same_host = (here.scheme, here.netloc) == (there.scheme, there.netloc)
    if own_host and not same_host:
        raise HttpError(f"{name} redirects to another host, {there.hostname}")
    return target, same_host


def _is_passing(answer: HttpResponse, *, repeatable: bool) -> bool:
    """Whether trying again may help: a rate limit always, a fault of the server where repeating does no harm."""
    limited = answer.headers.get("retry-after") or answer.headers.get("x-ratelimit-remaining") == "0"
    # A limit is refused before anything is done: trying again does no harm, whatever was asked.
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS or (answer.status == HTTPStatus.FORBIDDEN and limited):
        return True
    return repeatable and answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR
