"""Requests of every room through the library itself; the connection is played, and nobody is asked."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from operations.project import http
from operations.project.http import TRIES, AnswerTooLargeError, HttpError, HttpSession

URL = "https://registry.example/x"
Reply = tuple[int, dict[str, str], bytes] | requests.RequestException
Play = Callable[..., list[tuple[requests.PreparedRequest, dict[str, object]]]]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Takes the answers to come; what was sent, and with what settings. The last answer is repeated."""

    def start(*replies: Reply) -> list[tuple[requests.PreparedRequest, dict[str, object]]]:
        sent: list[tuple[requests.PreparedRequest, dict[str, object]]] = []
        left = list(replies)

        def send(self: HTTPAdapter, request: requests.PreparedRequest, **settings: object) -> requests.Response:
            sent.append((request, settings))
            reply = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(reply, requests.RequestException):
                raise reply
            status, headers, body = reply
            return self.build_response(request, HTTPResponse(BytesIO(body), headers, status, preload_content=False))

        monkeypatch.setattr(HTTPAdapter, "send", send)
        return sent

    return start


def test_a_passing_fault_is_tried_again_and_has_a_time_limit(play: Play) -> None:
    naps: list[float] = []
    sent = play((503, {}, b""), requests.Timeout(), (200, {"X-A": "b"}, b"{}"))
    answer = HttpSession(token="t", sleep=naps.append).request("GET", URL, query={"query": "x"})
    assert (answer.status, answer.headers, answer.body, naps) == (200, {"x-a": "b"}, b"{}", [2.0, 4.0])
    assert {each["timeout"] for _, each in sent} == {30.0}
    assert {each.url for each, _ in sent} == {f"{URL}?query=x"}
    assert {each.headers["Authorization"] for each, _ in sent} == {"Bearer t"}


def test_a_pause_is_as_long_as_asked_and_a_minute_at_most(play: Play) -> None:
    naps: list[float] = []
    play((429, {"Retry-After": "5"}, b""), (403, {"Retry-After": "4000"}, b""), (200, {}, b""))
    HttpSession(sleep=naps.append).request("GET", URL)
    assert naps == [5.0, 60.0]


@pytest.mark.parametrize(("repeatable", "tries"), [(True, TRIES), (False, 1)])
def test_only_what_may_be_sent_twice_is(repeatable: bool, tries: int, play: Play) -> None:
    sent = play(requests.ConnectionError())
    with pytest.raises(HttpError, match=r"registry.example/x: ConnectionError"):
        HttpSession(sleep=lambda _: None).request("POST", URL, body={}, repeatable=repeatable)
    assert len(sent) == tries
    sent = play((502, {}, b""))
    assert HttpSession(sleep=lambda _: None).request("POST", URL, body={}, repeatable=repeatable).status == 502
    assert len(sent) == tries


def test_a_certificate_that_nobody_trusts_is_said_at_once(play: Play) -> None:
    sent = play(requests.exceptions.SSLError())
    with pytest.raises(HttpError, match="SSLError") as told:
        HttpSession().request("GET", URL)
    assert "REQUESTS_CA_BUNDLE" in told.value.hint
    assert len(sent) == 1


def test_no_proxy_of_the_environment_sees_what_goes_to_this_machine(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")
    sent = play((200, {}, b""))
    session = HttpSession(token="t")
    session.request("GET", "http://127.0.0.1:9090/x")
    session.request("GET", URL)
    assert [bool(each["proxies"]) for _, each in sent] == [False, True]


@pytest.mark.parametrize(
    "url", ["http://quay.io/v2/", "ftp://x", "quay.io", "http://[::1", "http://localhost.evil.example"]
)
def test_only_https_is_asked(url: str, play: Play) -> None:
    sent = play((200, {}, b""))
    with pytest.raises(HttpError, match="is not HTTPS"):
        HttpSession().request("GET", url)
    assert sent == []


@pytest.mark.parametrize("redirects", [0, 5])
def test_an_answer_has_an_end(redirects: int, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play((200, {}, b"1234"))
    assert HttpSession().request("GET", URL, redirects=redirects).body == b"1234"
    monkeypatch.setattr(http, "LARGEST", 3)
    with pytest.raises(AnswerTooLargeError, match="longer than"):
        HttpSession().request("GET", URL, redirects=redirects)


def test_a_token_follows_no_redirect_to_another_host(play: Play) -> None:
    there = (302, {"Location": "https://blobs.example/y?signature=s"}, b"")
    sent = play((302, {"Location": "/same"}, b""), there, (200, {}, b""))
    HttpSession(token="t").request("GET", URL, redirects=2)
    assert [each.headers.get("Authorization") for each, _ in sent] == ["Bearer t", "Bearer t", None]
    play(there, requests.ConnectionError())
    with pytest.raises(HttpError) as told:
        HttpSession(sleep=lambda _: None).request("GET", URL, redirects=2)
    assert "signature" not in str(told.value)


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("http://registry.example/plain", "redirects to what is not HTTPS"),
        ("http://127.0.0.1/plain", "redirects to what is not HTTPS"),
        ("file:///etc/passwd", "redirects to what is not HTTPS"),
        ("https://[", "redirects to an address that is none"),
        ("/again", "leads from redirect to redirect"),
    ],
)
def test_a_redirect_that_leads_nowhere_good_is_not_followed(location: str, words: str, play: Play) -> None:
    sent = play((302, {"Location": location}, b""))
    with pytest.raises(HttpError, match=words):
        HttpSession().request("GET", URL, redirects=2)
    assert len(sent) == (3 if location == "/again" else 1)


@pytest.mark.parametrize(("netrc", "token", "login"), [(True, "", "Basic"), (True, "t", "Bearer"), (False, "", "")])
def test_a_login_of_netrc_is_only_used_where_it_may(  # noqa: PLR0917 - fixtures
    netrc: bool, token: str, login: str, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine registry.example login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    sent = play((200, {}, b""))
    HttpSession(netrc=netrc, token=token).request("GET", URL)
    assert str(sent[0][0].headers.get("Authorization", "")).partition(" ")[0] == login


def test_plain_http_to_another_machine_is_asked_only_where_it_is_allowed_and_without_a_token(play: Play) -> None:
    sent = play((200, {}, b"{}"))
    assert HttpSession(plain=True).request("GET", "http://private.example/x").status == 200
    for session in (HttpSession(), HttpSession(token="t", plain=True)):
        with pytest.raises(HttpError, match="not HTTPS"):
            session.request("GET", "http://private.example/x")
    assert len(sent) == 1
