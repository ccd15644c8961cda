from __future__ import annotations

import pytest
from github_stub import Stub
from poster_kit import TOKEN, github, posted

from operations.code_hosts.api import open_api
from operations.project import http
from operations.project.http import TRIES, AnswerTooLargeError, HttpError
from planning.values.errors import InputError


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_passing_fault_is_tried_again(status: int) -> None:
    stub, naps = Stub(faults=[(status, {})]), list[float]()
    assert github(stub, naps=naps).get_pull(7)["number"] == 7
    assert naps == [2.0]


def test_a_rate_limit_waits_as_long_as_it_says_and_a_minute_at_most() -> None:
    stub, naps = Stub(faults=[(403, {"Retry-After": "5"}), (429, {"Retry-After": "4000"})]), list[float]()
    github(stub, naps=naps).get_pull(7)
    assert naps == [5.0, 60.0]


def test_a_fault_that_stays_ends_after_some_tries() -> None:
    stub = Stub(faults=[(502, {})] * 20)
    with pytest.raises(HttpError, match="answers 502"):
        posted(stub)
    assert len(stub.asked) == TRIES


def test_a_comment_is_not_sent_twice_after_a_fault_of_the_server() -> None:
    stub = Stub()
    client = github(stub)
    stub.faults = [(502, {})]
    with pytest.raises(HttpError):
        client.api.keep_one_comment((), "once", create="repos/x/issues/7/comments", edit="", method="PATCH")
    assert len(stub.asked) == 1


def test_a_refusal_is_not_tried_again() -> None:
    stub = Stub(faults=[(403, {})])
    with pytest.raises(HttpError) as refused:
        github(stub).get_pull(7)
    assert refused.value.refused
    assert len(stub.asked) == 1


def test_a_page_on_another_host_is_not_asked() -> None:
    stub = Stub()
    client = github(stub)
    with pytest.raises(HttpError, match="another host"):
        client.api.download("https://evil.example/x", limit=1)
    assert stub.asked == []


def test_an_answer_of_any_call_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    client = github(Stub())
    monkeypatch.setattr(http, "LARGEST", 10)
    with pytest.raises(AnswerTooLargeError):
        client.get_pull(7)
    with pytest.raises(AnswerTooLargeError):
        client.keep_comment(7, "a comment")
    with pytest.raises(AnswerTooLargeError):
        client.list_paths(7)


def test_a_download_over_its_limit_ends() -> None:
    with pytest.raises(AnswerTooLargeError):
        github(Stub(artifact=b"0" * 200_000)).download_archive(5, limit=100_000)


@pytest.mark.parametrize("root", ["http://api.example", "ftp://x", "api.example", "http://localhost.evil.example"])
def test_a_token_is_not_sent_in_the_clear(root: str) -> None:
    with pytest.raises(InputError, match="not HTTPS"):
        open_api(root, TOKEN)


def test_no_token_is_said() -> None:
    with pytest.raises(InputError, match="no token"):
        open_api("https://api.example", "")


def test_an_answer_of_another_shape_is_a_fault_without_its_content() -> None:
    stub = Stub(pulls=[{"number": 7, "state": ["secret"]}])
    with pytest.raises(HttpError, match="not what the API documents") as fault:
        github(stub).get_pull(7)
    assert "secret" not in str(fault.value)
