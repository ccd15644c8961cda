"""Prometheus is asked for a month, a day at a time: one answer may hold 11,000 points of a series."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from planning.service_levels.series import LABELS
from planning.service_levels.series_sources import read_answers
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import requests

    from planning.service_levels.month import Month
    from planning.service_levels.series import RecordedSeries

TOKEN: Final = "ATOLL_PROMETHEUS_TOKEN"  # noqa: S105 - the name of a variable
SECONDS: Final = 60
TRIES: Final = 3
STEP: Final = 60  # seconds, as rules are evaluated
DAY: Final = 86_400
LARGEST: Final = 64 << 20  # of a day: 1,440 points of a hundred series are 5 MB
BLOCK: Final = 1 << 16
LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
OK: Final = 200
REDIRECTS: Final = range(300, 400)
REFUSED: Final = frozenset({401, 403})
AWAY: Final = "is it reachable from here?"
UNTRUSTED: Final = "its certificate is not trusted here: name the file of who signed it in REQUESTS_CA_BUNDLE"
PASSING: Final = frozenset({429, 502, 503, 504})


class AskingError(AtollError):
    """Prometheus did not answer, refused, or answered what nobody can read."""


@dataclass(frozen=True, slots=True)
class Got:
    """An answer as it came."""

    status: int
    kind: str
    body: bytes


def check_address(url: str) -> str:
    """The address, without a slash at its end; plain HTTP only to this machine, as through `kubectl port-forward`.

    Raises:
        InputError: no such address, one that holds a login, or one that would send the token in the clear.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        raise InputError(f"--prometheus {url!r} is no address") from error
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError("--prometheus holds more than an address", hint=f"a token belongs into {TOKEN}")
    if not host or (parts.scheme != "https" and not (parts.scheme == "http" and host in LOCAL)):
        hint = "write https://..., or http://localhost:9090 through `kubectl port-forward`"
        raise InputError(f"--prometheus {url!r} is not HTTPS", hint=hint)
    return url.rstrip("/")


def query_month(root: str, month: Month, *, until: int, get: Callable[[str, Mapping[str, str]], Got]) -> RecordedSeries:
    """Every series of ours in a month, as far as it has come.

    Raises:
        AskingError: no answer that can be read.
        InputError: samples contradict each other.
    """
    url = f"{root}/api/v1/query_range"
    answers = [_answer(url, query, get=get) for query in _queries(month, until=until)]
    return read_answers(answers, file=root)


def _queries(month: Month, *, until: int) -> Iterator[Mapping[str, str]]:
    """Each minute by the sample that was taken within it.

    `last_over_time` with one step and not the bare name: that would look five minutes back over a gap. A range looks
    back, so that the minute that begins at a point is the one before the next: hence the negative offset.
    """
    for metric in LABELS:
        for start in range(month.start, min(month.end, until), DAY):
            last = min(start + DAY, month.end, until) - STEP
            if last >= start:
                query = f"last_over_time({metric}[{STEP}s] offset -{STEP}s)"
                yield {"query": query, "start": str(start), "end": str(last), "step": str(STEP), "": metric}


def _answer(url: str, query: Mapping[str, str], *, get: Callable[[str, Mapping[str, str]], Got]) -> object:
    got = get(url, {key: text for key, text in query.items() if key})
    body = _json(got, url)
    fields = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    if got.status != OK or fields.get("status") != "success":
        said = str(fields.get("error", "not what Prometheus documents"))[:200]
        raise AskingError(f"{url}: answers {got.status}: {said}", hint=_hint(got.status))
    for labels in _labels(fields):
        labels.setdefault("__name__", query[""])  # answers to a function may leave the name out
    return fields


def _labels(fields: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Labels of every series of an answer; what is wrong with it is said by who reads it."""
    inner = fields.get("data")
    result = cast("dict[str, object]", inner).get("result") if isinstance(inner, dict) else None
    for series in cast("list[object]", result) if isinstance(result, list) else ():
        labels = cast("dict[str, object]", series).get("metric") if isinstance(series, dict) else None
        if isinstance(labels, dict):
            yield cast("dict[str, object]", labels)


def _json(got: Got, url: str) -> object:
    if got.status in REDIRECTS:
        raise AskingError(f"{url}: sends us to another address, a page to sign in perhaps", hint=_hint(401))
    if got.status in REFUSED:
        raise AskingError(f"{url}: answers {got.status}", hint=_hint(got.status))
    try:
        return json.loads(got.body)
    except (ValueError, RecursionError) as error:
        page = "a web page" if "html" in got.kind or got.body.lstrip()[:1] == b"<" else "no JSON"
        raise AskingError(f"{url}: answers {got.status} with {page}", hint=_hint(got.status)) from error


def _hint(status: int) -> str:
    if status in REFUSED or status == OK:
        return f"give the address of Prometheus itself, and a token in {TOKEN} where it asks for one"
    return "is it the address of Prometheus, without a path?"


def open_session(token: str, *, sleep: Callable[[float], None]) -> Callable[[str, Mapping[str, str]], Got]:
    """Asks over one connection; the token goes to that host alone, and no redirect is followed.

    Raises:
        InputError: the token cannot be one; it is not repeated.
    """
    import requests  # noqa: PLC0415 - only one way of the command needs it
    from urllib3.exceptions import LocationParseError  # noqa: PLC0415 - as above

    session = requests.Session()
    session.auth = _OptionalBearerAuth(_sendable(token))

    def get(url: str, query: Mapping[str, str]) -> Got:
        for turn in range(1, TRIES + 1):
            try:
                found = _got(session, url, query)
            except (requests.RequestException, LocationParseError) as error:
                untrusted = isinstance(error, requests.exceptions.SSLError)
                if untrusted or turn == TRIES:
                    raise AskingError(
                        f"{url}: {type(error).__name__}", hint=UNTRUSTED if untrusted else AWAY
                    ) from error
            else:
                if found.status not in PASSING or turn == TRIES:
                    return found
            sleep(2.0**turn)
        raise AskingError(f"{url}: no answer")

    return get


def _sendable(token: str) -> str:
    """A token without the end of a line that its file had."""
    bare = token.strip()
    if not bare.isascii() or not bare.isprintable():
        raise InputError(f"{TOKEN} holds characters that no token has", hint="was more than the token copied into it?")
    return bare


class _OptionalBearerAuth:
    """A bearer token that prints as nothing; without one, no login at all, not even one of .netrc."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def _got(session: requests.Session, url: str, query: Mapping[str, str]) -> Got:
    if url.startswith("http://"):
        session.trust_env = False  # this machine itself: no proxy of the environment may see the token
    with session.get(url, params=dict(query), timeout=SECONDS, stream=True, allow_redirects=False) as response:
        taken = bytearray()
        for block in response.iter_content(BLOCK):
            taken += block
            if len(taken) > LARGEST:
                raise AskingError(f"{url}: a day is longer than {LARGEST >> 20} MiB")
        return Got(response.status_code, response.headers.get("Content-Type", ""), bytes(taken))
