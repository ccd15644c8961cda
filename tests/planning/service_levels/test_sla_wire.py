"""What goes out to Prometheus through the library itself; its connection is played, and nobody is asked."""

from __future__ import annotations

from io import BytesIO

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from operations.project.http import HttpError, HttpResponse
from operations.service_levels.prometheus import TOKEN, open_session
from planning.values.errors import InputError

URL = "https://prometheus.example/api/v1/query_range"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[requests.PreparedRequest]:
    """What was sent; the answer is a redirect to another host for a path that ends in "moved", else an empty object."""
    found: list[requests.PreparedRequest] = []

    def send(self: HTTPAdapter, request: requests.PreparedRequest, **_: object) -> requests.Response:
        found.append(request)
        moved = str(request.url).endswith("moved")
        headers = {"Content-Type": "application/json", **({"Location": "https://elsewhere.example/"} if moved else {})}
        raw = HTTPResponse(BytesIO(b"{}"), headers, 302 if moved else 200, preload_content=False)
        return self.build_response(request, raw)

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return found


def test_a_question_is_encoded_and_carries_the_token_without_its_line_end(sent: list[requests.PreparedRequest]) -> None:
    session = open_session("secret\n")
    query = {"query": "last_over_time(up[60s] offset -60s)", "start": "60"}
    answer = HttpResponse(status=200, headers={"content-type": "application/json"}, body=b"{}")
    assert session.request("GET", URL, query=query) == answer
    (request,) = sent
    assert request.url == f"{URL}?query=last_over_time%28up%5B60s%5D+offset+-60s%29&start=60"
    assert request.headers["Authorization"] == "Bearer secret"


def test_a_redirect_is_told_and_not_followed(sent: list[requests.PreparedRequest]) -> None:
    assert open_session("secret").request("GET", f"{URL}/moved").status == 302
    assert [request.url for request in sent] == [f"{URL}/moved"]


@pytest.mark.parametrize("token", ["one\ntwo", "t€", "a\x00b"])
def test_what_can_be_no_token_is_said_and_not_repeated(token: str) -> None:
    with pytest.raises(InputError) as refused:
        open_session(token)
    assert str(refused.value) == f"{TOKEN} holds characters that no token has"


@pytest.mark.parametrize("host", ["a..b", f"{'a' * 70}.example"])
def test_a_host_that_cannot_be_one_is_said(host: str) -> None:
    with pytest.raises(HttpError, match="LocationParseError"):
        open_session("").request("GET", f"https://{host}/x")
