"""Requests to the API of a code host: bounded retries, pages, typed answers; the token goes to that host alone."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
import requests.auth
from pydantic import ValidationError
from urllib3.exceptions import LocationParseError

from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import TypeAdapter

SECONDS: Final = 30
TRIES: Final = 4
LONGEST_PAUSE: Final = 60.0
MOST_PAGES: Final = 100
LONGEST_SHOWN: Final = 80  # characters of a wrong address
BLOCK: Final = 1 << 16
FORBIDDEN: Final = 403
NOT_FOUND: Final = 404
TOO_MANY: Final = 429
SERVER_FAULT: Final = 500
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
BAD: Final = 400
LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
T = TypeVar("T")


class ApiError(AtollError):
    """The API refused, did not answer, or answered what nobody can read; `status` is 0 where nothing came back."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message, hint="the request was not retried any further; run the job again")
        self.status = status

    @property
    def refused(self) -> bool:
        """Whether the token may not do this, which no retry mends."""
        return self.status in {FORBIDDEN, NOT_FOUND}


class TooLargeError(AtollError):
    """What is offered for download is larger than its limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeHostApi:
    """One API with its login; `sleep` waits between tries."""

    root: str
    session: requests.Session
    sleep: Callable[[float], None] = field(default=time.sleep)

    def get(self, path: str, shape: TypeAdapter[T], **query: str | int) -> T:
        """The answer to a question.

        Raises:
            ApiError: refused, not answered, or of another shape.
        """
        return _read(self._tried("GET", self._url(path), query=query), shape)

    def pages(self, path: str, shape: TypeAdapter[list[T]], **query: str | int) -> Iterator[T]:
        """Every entry of a list, page by page, as the `Link` headers lead; 100 pages at most.

        Raises:
            ApiError: as for `get`, or the list does not end.
        """
        url, asked = self._url(path), dict[str, str | int](query) | {"per_page": 100}
        for _ in range(MOST_PAGES):
            answer = self._tried("GET", url, query=asked)
            yield from _read(answer, shape)
            following = answer.links.get("next", {}).get("url", "")
            if not following:
                return
            url, asked = self._url(following), {}
        raise ApiError(f"{path}: the list is longer than {MOST_PAGES} pages")

    def send(
        self, method: str, path: str, body: Mapping[str, object], shape: TypeAdapter[T], *, again: bool = True
    ) -> T:
        """The answer to a change; `again` says that sending it twice does no harm.

        Raises:
            ApiError: as for `get`.
        """
        return _read(self._tried(method, self._url(path), body=body, again=again), shape)

    def delete(self, path: str) -> None:
        """Delete what a path names.

        Raises:
            ApiError: refused or not answered.
        """
        self._tried("DELETE", self._url(path))

    def download(self, url: str, *, limit: int) -> bytes:
        """A file of at most `limit` bytes; a redirect is followed without the login.

        Raises:
            ApiError: refused or not answered.
            TooLargeError: it is larger.
        """
        answer = self._tried("GET", self._url(url), stream=True)
        for _ in range(3):
            if answer.status_code not in REDIRECTS:
                return _body(answer, limit=limit)
            there = _redirect_url(answer)
            _sound(there)
            answer = self._tried("GET", there, stream=True, login=False)
        raise ApiError("the download leads from redirect to redirect")

    def _url(self, path: str) -> str:
        """The address of a path; an address must lie under the API's own."""
        if "://" not in path:
            return f"{self.root.rstrip('/')}/{path.lstrip('/')}"
        try:
            here, there = urlsplit(self.root), urlsplit(path)
        except ValueError as error:
            raise ApiError("the API names an address that is none") from error
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise ApiError(f"the API sends us to another host, {there.hostname}")
        return path

    def _tried(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, object] | None = None,
        again: bool = True,
        stream: bool = False,
        login: bool = True,
    ) -> requests.Response:
        what = f"{method} {urlsplit(url).path}"
        for turn in range(1, TRIES + 1):
            try:
                answer = self.session.request(
                    method,
                    url,
                    params=query,
                    data=None if body is None else json.dumps(body).encode(),
                    headers=None if body is None else {"Content-Type": "application/json"},
                    timeout=SECONDS,
                    stream=stream,
                    allow_redirects=False,
                    auth=None if login else _bare,
                )
            except (requests.RequestException, LocationParseError) as error:
                if turn == TRIES or not again:
                    raise ApiError(f"{what}: {type(error).__name__}") from error
                self.sleep(2.0**turn)
                continue
            if answer.status_code < BAD:
                return answer
            if turn == TRIES or not _passing(answer, again=again):
                raise ApiError(f"{what}: the API answers {answer.status_code}", status=answer.status_code)
            self.sleep(_pause(answer, turn))
        raise ApiError(f"{what}: no answer")


def open_api(root: str, token: str, *, headers: Mapping[str, str] | None = None) -> CodeHostApi:
    """An API with its token, over HTTPS (plain HTTP only to this machine).

    Raises:
        InputError: no token, or an address that would send it in the clear.
    """
    if not token:
        raise InputError("there is no token for the API", hint="give it in the environment, as the workflow file does")
    _sound(root)
    session = requests.Session()
    session.headers.update({"User-Agent": "atoll", **(headers or {})})
    session.auth = _BearerAuth(token)
    return CodeHostApi(root=root, session=session)


class _BearerAuth(requests.auth.AuthBase):
    """A bearer token that prints as nothing."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, r: requests.PreparedRequest) -> requests.PreparedRequest:
        r.headers["Authorization"] = f"Bearer {self._token}"
        return r


def _bare(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """No login at all, not even one of .netrc."""
    request.headers.pop("Authorization", None)
    return request


def _redirect_url(answer: requests.Response) -> str:
    try:
        return urljoin(answer.url, answer.headers.get("Location", ""))
    except ValueError as error:
        raise ApiError("the API redirects to an address that is none") from error


def _sound(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InputError(
            f"{url[:LONGEST_SHOWN]!r} is no address", hint="give the API's address with https://"
        ) from error
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL):
        raise InputError(f"{parts.scheme}://{parts.hostname} is not HTTPS", hint="give the API's address with https://")


def _passing(answer: requests.Response, *, again: bool) -> bool:
    """Whether trying again may help: a rate limit always, a fault of the server where repeating does no harm."""
    limited = answer.headers.get("Retry-After") or answer.headers.get("X-RateLimit-Remaining") == "0"
    if answer.status_code == TOO_MANY or (answer.status_code == FORBIDDEN and limited):
        return True
    return again and answer.status_code >= SERVER_FAULT


def _pause(answer: requests.Response, turn: int) -> float:
    said = answer.headers.get("Retry-After", "")
    return min(float(said) if said.isdecimal() else 2.0**turn, LONGEST_PAUSE)


def _read(answer: requests.Response, shape: TypeAdapter[T]) -> T:
    try:
        return shape.validate_json(answer.content)
    except ValidationError as error:
        raise ApiError(f"{urlsplit(answer.url).path}: the answer is not what the API documents") from error


def _body(answer: requests.Response, *, limit: int) -> bytes:
    taken = bytearray()
    for block in answer.iter_content(BLOCK):
        taken += block
        if len(taken) > limit:
            answer.close()
            raise TooLargeError(f"the download is larger than {limit >> 20} MiB")
    return bytes(taken)
