from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.agents.mover.store.model import Head, StoreError, head_of, headers_like, mail_safe, plain

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(TEXT)
def test_metadata_survives_the_wire(value: str) -> None:
    sent = mail_safe(value)
    assert sent.isascii()
    assert "\n" not in sent
    assert "\r" not in sent
    assert plain(sent) == value


@given(TEXT)
def test_no_encoded_word_is_longer_than_the_standard_lets_it_be(value: str) -> None:
    words = [each for each in mail_safe(value).split(" ") if each.startswith("=?UTF-8?B?")]
    assert all(len(each) <= 75 for each in words)


@pytest.mark.parametrize(
    "answered",
    ["=?UTF-8?b?TWluacO2?=", "=?utf-8?q?Mini=C3=B6?=", "Mini\xc3\xb6"],  # MinIO, lakeFS, bytes as they were stored
)
def test_every_way_in_which_stores_answer_is_read(answered: str) -> None:
    assert plain(answered) == "Miniö"


def test_a_head_tells_what_a_copy_carries() -> None:
    found = head_of(
        {
            "content-length": "10",
            "content-range": "bytes 0-9/1000",
            "etag": '"abc"',
            "content-type": "text/plain",
            "cache-control": "no-cache",
            "x-amz-meta-b": "2",
            "x-amz-meta-a": "1",
            "x-amz-tagging-count": "3",
            "x-amz-version-id": "v",
            "x-amz-request-id": "not carried",
            "date": "Sun, 22 Nov 2026 08:00:00 GMT",
        }
    )
    assert found == Head(
        size=1000,
        etag="abc",
        version="v",
        headers=(("cache-control", "no-cache"), ("content-type", "text/plain")),
        metadata=(("a", "1"), ("b", "2")),
        tag_count=3,
        server_time=1795334400.0,
    )


def test_googles_prefix_is_read_like_the_other() -> None:
    assert head_of({"x-goog-meta-owner": "me"}).metadata == (("owner", "me"),)


def test_tags_are_sent_encoded() -> None:
    sent = headers_like(Head(size=0, etag=""), (("a b", "1&2"), ("c", "ü=")))
    assert sent == {"x-amz-tagging": "a%20b=1%262&c=%C3%BC%3D"}


def test_an_eleventh_tag_is_refused_before_it_is_sent() -> None:
    with pytest.raises(StoreError, match="11 tags, and a store takes 10"):
        headers_like(Head(size=0, etag=""), tuple((str(each), "") for each in range(11)))
