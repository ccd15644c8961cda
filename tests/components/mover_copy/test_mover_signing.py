"""The examples that AWS publishes: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html."""

from __future__ import annotations

import pytest

from components.agents.mover.store.connection import EMPTY, SigV4Signer, encode_path, encode_query

HOST = "examplebucket.s3.amazonaws.com"
WHEN = "20130524T000000Z"
WELCOME = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"


def signer() -> SigV4Signer:
    return SigV4Signer(
        access_key="AKIAIOSFODNN7EXAMPLE", secret_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", region="us-east-1"
    )


def signature(method: str, key: str, query: tuple[tuple[str, str], ...], more: dict[str, str], payload: str) -> str:
    headers = {"host": HOST, "x-amz-date": WHEN, "x-amz-content-sha256": payload, **more}
    path = f"/{encode_path(key)}"
    return signer().build_authorization(method, path, encode_query(query), headers, payload=payload).rpartition("=")[2]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            ("GET", "test.txt", (), {"range": "bytes=0-9"}, EMPTY),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        (
            (
                "PUT",
                "test$file.text",
                (),
                {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"},
                WELCOME,
            ),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        ),
        (
            ("GET", "", (("lifecycle", ""),), {}, EMPTY),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        ),
        (
            ("GET", "", (("prefix", "J"), ("max-keys", "2")), {}, EMPTY),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ],
)
def test_the_published_examples_are_signed_as_published(
    asked: tuple[str, str, tuple[tuple[str, str], ...], dict[str, str], str], expected: str
) -> None:
    assert signature(*asked) == expected


def test_spaces_in_a_row_are_signed_as_one() -> None:
    one, two = (signature("GET", "a", (), {"x-amz-meta-a": value}, EMPTY) for value in ("b c", "b    c"))
    assert one == two


def test_the_key_of_another_day_is_another_one() -> None:
    found = signer()
    days = [
        found.build_authorization("GET", "/", "", {"host": HOST, "x-amz-date": when}, payload=EMPTY)[-64:]
        for when in ("20130524T000000Z", "20130525T000000Z", "20130524T000000Z")
    ]
    assert days[0] == days[2] != days[1]


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("a b", "a%20b"),
        ("a+b", "a%2Bb"),
        ("100%", "100%25"),
        ("dir/", "dir/"),
        ("/a//b", "/a//b"),
        ("../a/./b", "../a/./b"),
        ("ü😀", "%C3%BC%F0%9F%98%80"),
        ("?x=1&y#z", "%3Fx%3D1%26y%23z"),
        ("-._~*'", "-._~%2A%27"),
        ("x" * 1024, "x" * 1024),
    ],
)
def test_a_key_stands_in_the_path_as_it_is(key: str, path: str) -> None:
    assert encode_path(key) == path
