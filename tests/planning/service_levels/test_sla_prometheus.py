"""Asking Prometheus: a day at a time, never further back than a minute, and what comes back instead of an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import pytest
from sla_samples import CONTROL, OCTOBER

from operations.project.http import HttpError, HttpResponse, HttpSession
from operations.service_levels.prometheus import DAY, check_address, query_month
from planning.service_levels.series import LABELS
from planning.values.errors import InputError

ROOT = "https://prometheus.example"
URL = f"{ROOT}/api/v1/query_range"


def got_of(status: int, kind: str, body: bytes) -> HttpResponse:
    return HttpResponse(status=status, headers={"content-type": kind}, body=body)


def empty() -> HttpResponse:
    return got_of(200, "application/json", b'{"status":"success","data":{"resultType":"matrix","result":[]}}')


class Server:
    """Answers as Prometheus does: one sample a minute, without a name where the query is a function's."""

    def __init__(self, *, until: int = OCTOBER.end) -> None:
        self.queries: list[Mapping[str, str]] = []
        self._until = until

    def request(self, method: str, url: str, *, query: Mapping[str, str]) -> HttpResponse:
        assert (method, url) == ("GET", URL)
        self.queries.append(query)
        metric = query["query"].partition("(")[2].partition("[")[0]
        labels = {} if metric == CONTROL.metric else None
        if labels is None:
            return empty()
        times = range(int(query["start"]), int(query["end"]) + 1, int(query["step"]))
        values = [[time, "1"] for time in times if time < self._until]
        series = [{"metric": labels, "values": values}] if values else []
        body = {"status": "success", "data": {"resultType": "matrix", "result": series}}
        return got_of(200, "application/json", json.dumps(body).encode())


def test_a_month_is_asked_for_by_days_of_1440_minutes() -> None:
    server = Server()
    found = query_month(ROOT, OCTOBER, until=OCTOBER.end + 10, session=cast("HttpSession", server))
    assert len(server.queries) == 31 * len(LABELS)
    assert {query["query"] for query in server.queries} == {
        f"last_over_time({name}[60s] offset -60s)" for name in LABELS
    }
    assert all(int(query["end"]) - int(query["start"]) == DAY - 60 for query in server.queries)
    (run,) = found.of(CONTROL)
    assert (run.start, run.end, run.value) == (OCTOBER.start, OCTOBER.end, 1)


def test_what_is_to_come_is_not_asked_for() -> None:
    server = Server(until=OCTOBER.start + DAY + 3600)
    found = query_month(ROOT, OCTOBER, until=OCTOBER.start + DAY + 3600, session=cast("HttpSession", server))
    assert len(server.queries) == 2 * len(LABELS)
    assert found.of(CONTROL)[0].end == OCTOBER.start + DAY + 3600
    assert query_month(ROOT, OCTOBER, until=OCTOBER.start + 30, session=cast("HttpSession", Server())).runs == {}


def answering(got: HttpResponse) -> HttpSession:
    return cast("HttpSession", SimpleNamespace(request=lambda *_, **__: got))


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (got_of(302, "text/html", b""), "sends us to another address, a page to sign in perhaps"),
        (got_of(401, "text/plain", b"no"), "answers 401"),
        (got_of(403, "application/json", b"{}"), "answers 403"),
        (got_of(200, "text/html", b"<html>Sign in</html>"), "answers 200 with a web page"),
        (got_of(200, "", b"<html>Sign in</html>"), "answers 200 with a web page"),
        (got_of(404, "text/plain", b"not found"), "answers 404 with no JSON"),
        (got_of(200, "application/json", b"[1]"), "not what Prometheus documents"),
        (
            got_of(400, "application/json", b'{"status":"error","errorType":"bad_data","error":"parse error"}'),
            "answers 400: parse error",
        ),
        (
            got_of(503, "application/json", b'{"status":"error","error":"query timed out"}'),
            "answers 503: query timed out",
        ),
        (got_of(200, "application/json", b'{"status":"error","error":"too many samples"}'), "too many samples"),
    ],
)
def test_what_is_no_answer_is_told_in_words(got: HttpResponse, said: str) -> None:
    with pytest.raises(HttpError) as caught:
        query_month(ROOT, OCTOBER, until=OCTOBER.end, session=answering(got))
    assert said in str(caught.value)
    assert caught.value.hint


def test_an_answer_that_is_not_a_matrix_is_bad_input() -> None:
    got = got_of(200, "application/json", b'{"status":"success","data":{"resultType":"vector","result":[]}}')
    with pytest.raises(InputError, match="no answer to a range query"):
        query_month(ROOT, OCTOBER, until=OCTOBER.end, session=answering(got))


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
