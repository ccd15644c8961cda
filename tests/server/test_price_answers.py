"""Answers of a source of prices over a real connection: only what is whole, from its own host, in its form counts."""

from __future__ import annotations

import gzip
import json

import pytest
from price_server import Answer, Content, make_request, price_server

from operations.price_refresh.answers import open_lines, read_object, read_table
from operations.price_refresh.model import PriceReadError
from operations.project.http import AnswerTooLargeError, HttpError

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
PAGE = "<html><body>Sign in</body></html>"
ELSEWHERE = Answer(status=302, headers={"Location": "https://elsewhere.example/x"})
BUSY = Answer(status=429, headers={"Retry-After": "1"})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PAGE, "answers no JSON but '<html><body>Sign in</body></html>'"),
        ('{"prices": [{"usd": 1', "answers no JSON but"),
        ("", "answers no JSON but nothing"),
        ("[1]", "answers JSON that is no object"),
        ("[" * 100_000, "answers no JSON but"),
        (ELSEWHERE, "redirects to another host, elsewhere.example"),
        (Answer(status=302), "leads from redirect to redirect"),
        (Answer(status=404), "answers 404"),
        (BUSY, "answers 429"),
        (Answer(body=b'{"a": 1', claimed=400), "ProtocolError|ChunkedEncodingError|ConnectionError"),
    ],
)
def test_a_wrong_answer_is_one_sentence(content: Content, said: str) -> None:
    with price_server({"/x": content}) as server, pytest.raises((PriceReadError, HttpError), match=said) as raised:
        read_object(make_request(server, provider="aws"), "/x")
    assert "\n" not in str(raised.value)


def test_a_pause_that_is_asked_for_is_taken_and_the_answer_comes() -> None:
    with price_server({"/x": [BUSY, BUSY, {"a": 1}]}) as server:
        assert read_object(make_request(server, provider="aws"), "/x") == {"a": 1}
        assert len(server.asked) == 3


def test_a_redirect_of_the_same_host_is_followed() -> None:
    with price_server({"/x": Answer(status=301, headers={"Location": "/y"}), "/y": {"a": 1}}) as server:
        assert read_object(make_request(server, provider="aws"), "/x") == {"a": 1}


def test_lines_come_one_by_one_and_compressed_ones_too() -> None:
    text = b"a,b\r\n1,2\n3,4"
    packed = Answer(body=gzip.compress(text), headers={"Content-Encoding": "gzip"})
    with price_server({"/plain": text, "/packed": packed, "/busy": [BUSY, text]}) as server:
        request = make_request(server, provider="aws")
        for path in ("/plain", "/packed", "/busy"):
            with open_lines(request, path, most_bytes=1000) as lines:
                assert list(read_table(lines, name="x", columns=("a", "b"))) == [
                    {"a": "1", "b": "2"},
                    {"a": "3", "b": "4"},
                ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (Answer(body=b"a,b\n1,2\n", claimed=900), "broke off after"),
        (ELSEWHERE, "answers 302"),
        (BUSY, "answers 429"),
        ("a,c\n1,2\n", "has no column b: the source has changed its form"),
        (PAGE, "has no column a, b"),
        (b"a,b\n\xff\xfe,1\n", "is no UTF-8"),
        ('a,b\n"1,2\n', "is no CSV"),
        ("x" * 2_000_000, "longer than 1 MiB"),
        (
            Answer(body=gzip.compress(b"a,b\n" * 5_000_000), headers={"Content-Encoding": "gzip"}),
            "longer than 1 MiB",
        ),
    ],
)
def test_a_wrong_text_of_lines_is_one_sentence(content: Content, said: str) -> None:
    with price_server({"/x": content}) as server:
        request = make_request(server, provider="aws")
        with (
            pytest.raises((PriceReadError, HttpError, AnswerTooLargeError), match=said),
            open_lines(request, "/x", most_bytes=1 << 20) as lines,
        ):
            list(read_table(lines, name="x", columns=("a", "b")))


def test_a_line_without_an_end_is_refused() -> None:
    with price_server({"/x": b"x" * (3 << 20)}) as server:
        request = make_request(server, provider="aws")
        with (
            pytest.raises(PriceReadError, match="is no text of lines"),
            open_lines(request, "/x", most_bytes=1 << 30) as lines,
        ):
            list(lines)


def test_json_is_read_as_it_was_sent() -> None:
    with price_server({"/x": lambda asked: {"sent": json.loads(asked.body)}}) as server:
        assert read_object(make_request(server, provider="aws"), "/x", body={"q": 1}) == {"sent": {"q": 1}}
