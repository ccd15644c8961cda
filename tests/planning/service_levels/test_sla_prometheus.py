"""Asking Prometheus: a day at a time, never further back than a minute, and what comes back instead of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
import requests
from sla_samples import CONTROL, OCTOBER

from operations.service_levels.prometheus import DAY, AskingError, Got, check_address, open_session, query_month
from planning.service_levels.series import LABELS
from planning.values.errors import InputError

ROOT = "https://prometheus.example"
URL = f"{ROOT}/api/v1/query_range"


def empty() -> Got:
    return Got(200, "application/json", b'{"status":"success","data":{"resultType":"matrix","result":[]}}')


class Server:
    """Answers as Prometheus does: one sample a minute, without a name where the query is a function's."""

    def __init__(self, *, until: int = OCTOBER.end) -> None:
        self.queries: list[Mapping[str, str]] = []
        self._until = until

    def __call__(self, url: str, query: Mapping[str, str]) -> Got:
        assert url == URL
        self.queries.append(query)
        metric = query["query"].partition("(")[2].partition("[")[0]
        labels = {} if metric == CONTROL.metric else None
        if labels is None:
            return empty()
        times = range(int(query["start"]), int(query["end"]) + 1, int(query["step"]))
        values = [[time, "1"] for time in times if time < self._until]
        series = [{"metric": labels, "values": values}] if values else []
        body = {"status": "success", "data": {"resultType": "matrix", "result": series}}
        return Got(200, "application/json", json.dumps(body).encode())


def test_a_month_is_asked_for_by_days_of_1440_minutes() -> None:
    server = Server()
    found = query_month(ROOT, OCTOBER, until=OCTOBER.end + 10, get=server)
    assert len(server.queries) == 31 * len(LABELS)
    assert {query["query"] for query in server.queries} == {
        f"last_over_time({name}[60s] offset -60s)" for name in LABELS
    }
    assert all(int(query["end"]) - int(query["start"]) == DAY - 60 for query in server.queries)
    (run,) = found.of(CONTROL)
    assert (run.start, run.end, run.value) == (OCTOBER.start, OCTOBER.end, 1)


def test_what_is_to_come_is_not_asked_for() -> None:
    server = Server(until=OCTOBER.start + DAY + 3600)
    found = query_month(ROOT, OCTOBER, until=OCTOBER.start + DAY + 3600, get=server)
    assert len(server.queries) == 2 * len(LABELS)
    assert found.of(CONTROL)[0].end == OCTOBER.start + DAY + 3600
    assert query_month(ROOT, OCTOBER, until=OCTOBER.start + 30, get=Server()).runs == {}


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (Got(302, "text/html", b""), "sends us to another address, a page to sign in perhaps"),
        (Got(401, "text/plain", b"no"), "answers 401"),
        (Got(403, "application/json", b"{}"), "answers 403"),
        (Got(200, "text/html", b"<html>Sign in</html>"), "answers 200 with a web page"),
        (Got(200, "", b"<html>Sign in</html>"), "answers 200 with a web page"),
        (Got(404, "text/plain", b"not found"), "answers 404 with no JSON"),
        (Got(200, "application/json", b"[1]"), "not what Prometheus documents"),
        (
            Got(400, "application/json", b'{"status":"error","errorType":"bad_data","error":"parse error"}'),
            "answers 400: parse error",
        ),
        (Got(503, "application/json", b'{"status":"error","error":"query timed out"}'), "answers 503: query timed out"),
        (Got(200, "application/json", b'{"status":"error","error":"too many samples"}'), "too many samples"),
    ],
)
def test_what_is_no_answer_is_told_in_words(got: Got, said: str) -> None:
    with pytest.raises(AskingError) as caught:
        query_month(ROOT, OCTOBER, until=OCTOBER.end, get=lambda *_: got)
    assert said in str(caught.value)
    assert caught.value.hint


def test_an_answer_that_is_not_a_matrix_is_bad_input() -> None:
    got = Got(200, "application/json", b'{"status":"success","data":{"resultType":"vector","result":[]}}')
    with pytest.raises(InputError, match="no answer to a range query"):
        query_month(ROOT, OCTOBER, until=OCTOBER.end, get=lambda *_: got)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://prometheus.example", "is not HTTPS"),
        ("ftp://prometheus.example", "is not HTTPS"),
        ("prometheus.example", "is not HTTPS"),
        ("https://me:secret@prometheus.example", "holds more than an address"),
        ("https://prometheus.example/?token=x", "holds more than an address"),
        ("http://[::1", "is no address"),
        ("", "is not HTTPS"),
    ],
)
def test_addresses_that_would_send_a_token_in_the_clear_are_refused(url: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        check_address(url)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


def test_addresses_that_may_be_asked() -> None:
    assert check_address("https://prometheus.example/") == "https://prometheus.example"
    assert check_address("http://localhost:9090") == "http://localhost:9090"


class Reply:
    def __init__(self, status: int, body: bytes) -> None:
        self.status_code = status
        self.headers = {"Content-Type": "application/json"}
        self._body = body

    def iter_content(self, size: int) -> Iterator[bytes]:
        assert size
        yield self._body


def session(monkeypatch: pytest.MonkeyPatch, *replies: Reply | requests.RequestException) -> list[dict[str, Any]]:
    """What was sent; each request takes the next reply."""
    sent: list[dict[str, Any]] = []
    waiting = list(replies)

    @contextmanager
    def get(self: requests.Session, url: str, **given: Any) -> Iterator[Reply]:
        request = requests.Request("GET", url).prepare()
        assert callable(self.auth)
        sent.append({**given, "url": url, "headers": dict(self.auth(request).headers)})
        reply = waiting.pop(0)
        if isinstance(reply, requests.RequestException):
            raise reply
        yield reply

    monkeypatch.setattr(requests.Session, "get", get)
    return sent


def test_a_passing_fault_is_tried_again_and_no_redirect_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    sent = session(monkeypatch, Reply(503, b""), requests.Timeout(), Reply(200, b"{}"))
    got = open_session("token", sleep=pauses.append)(URL, {"query": "x"})
    assert (got.status, got.body, pauses) == (200, b"{}", [2.0, 4.0])
    assert all(each["allow_redirects"] is False and each["timeout"] for each in sent)
    assert sent[0]["headers"]["Authorization"] == "Bearer token"


def test_without_a_token_nothing_is_sent_not_even_one_of_netrc(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = session(monkeypatch, Reply(200, b"{}"))
    open_session("", sleep=lambda _: None)(URL, {})
    assert "Authorization" not in sent[0]["headers"]


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    session(monkeypatch, *(requests.ConnectionError() for _ in range(3)))
    with pytest.raises(AskingError, match="ConnectionError"):
        open_session("", sleep=lambda _: None)(URL, {})


def test_a_refusal_is_not_tried_again_and_a_day_has_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = session(monkeypatch, Reply(400, b"{}"), Reply(200, b"x" * ((64 << 20) + 1)))
    get = open_session("", sleep=lambda _: None)
    assert get(URL, {}).status == 400
    assert len(sent) == 1
    with pytest.raises(AskingError, match="longer than 64 MiB"):
        get(URL, {})
