"""Prometheus is asked for a month, a day at a time: one answer may hold 11,000 points of a series."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from operations.project.http import HttpError, HttpSession, is_secure
from planning.service_levels.series import LABELS
from planning.service_levels.series_sources import read_answers
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from operations.project.http import HttpResponse
    from planning.service_levels.month import Month
    from planning.service_levels.series import RecordedSeries

TOKEN: Final = "ATOLL_PROMETHEUS_TOKEN"  # noqa: S105 - the name of a variable
SECONDS: Final = 60.0  # a query of a day may take longer than an answer of another server
STEP: Final = 60  # seconds, as rules are evaluated
DAY: Final = 86_400
REDIRECTS: Final = range(300, 400)
REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


def check_address(url: str) -> str:
    """The address, without a slash at its end; plain HTTP only to this machine, as through `kubectl port-forward`.

    Raises:
        InputError: no such address, one that holds a login, or one that would send the token in the clear.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InputError(f"--prometheus {url!r} is no address") from error
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError("--prometheus holds more than an address", hint=f"a token belongs into {TOKEN}")
    if not is_secure(url):
        hint = "write https://..., or http://localhost:9090 through `kubectl port-forward`"
        raise InputError(f"--prometheus {url!r} is not HTTPS", hint=hint)
    return url.rstrip("/")


def query_month(root: str, month: Month, *, until: int, session: HttpSession) -> RecordedSeries:
    """Every series of ours in a month, as far as it has come.

    Raises:
        HttpError: no answer that can be read.
        InputError: samples contradict each other.
    """
    url = f"{root}/api/v1/query_range"
    answers = [_answer(url, query, session=session) for query in _queries(month, until=until)]
    return read_answers(answers, file=root)


def _queries(month: Month, *, until: int) -> Iterator[Mapping[str, str]]:
    """Each minute by the sample that was taken within it."""
    for metric in LABELS:
        for start in range(month.start, min(month.end, until), DAY):
            last = min(start + DAY, month.end, until) - STEP
            if last >= start:
                # `last_over_time` with one step and not the bare name, which would look five minutes back over a gap. A
                # range looks back, so that the minute that begins at a point is the one before the next: hence the
                # negative offset.
                query = f"last_over_time({metric}[{STEP}s] offset -{STEP}s)"
                yield {"query": query, "start": str(start), "end": str(last), "step": str(STEP), "": metric}


def _answer(url: str, query: Mapping[str, str], *, session: HttpSession) -> object:
    got = session.request("GET", url, query={key: text for key, text in query.items() if key})
    body = _json(got, url)
    fields = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    if got.status != HTTPStatus.OK or fields.get("status") != "success":
        said = str(fields.get("error", "not what Prometheus documents"))[:200]
        raise HttpError(f"{url}: answers {got.status}: {said}", hint=_hint(got.status))
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


def _json(got: HttpResponse, url: str) -> object:
    if got.status in REDIRECTS:
        raise HttpError(
            f"{url}: sends us to another address, a page to sign in perhaps", hint=_hint(HTTPStatus.UNAUTHORIZED)
        )
    if got.status in REFUSED:
        raise HttpError(f"{url}: answers {got.status}", hint=_hint(got.status))
    try:
        return json.loads(got.body)
    except (ValueError, RecursionError) as error:
        is_page = "html" in got.headers.get("content-type", "") or got.body.lstrip()[:1] == b"<"
        page = "a web page" if is_page else "no JSON"
        raise HttpError(f"{url}: answers {got.status} with {page}", hint=_hint(got.status)) from error


def _hint(status: int) -> str:
    if status in REFUSED or status == HTTPStatus.OK:
        return f"give the address of Prometheus itself, and a token in {TOKEN} where it asks for one"
    return "is it the address of Prometheus, without a path?"


def open_session(token: str, *, sleep: Callable[[float], None] | None = None) -> HttpSession:
    """Asks over one connection; the token goes to that host alone.

    Raises:
        InputError: the token cannot be one; it is not repeated.
    """
    bare = token.strip()  # the end of a line that its file had
    if not bare.isascii() or not bare.isprintable():
        raise InputError(f"{TOKEN} holds characters that no token has", hint="was more than the token copied into it?")
    return HttpSession(token=bare, seconds=SECONDS, sleep=sleep)
