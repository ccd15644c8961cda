from __future__ import annotations

import io
import json
import zipfile

import pytest
from github_stub import archive, form, stack

from operations.code_hosts.artifact import LARGEST_ARCHIVE, LARGEST_DIFF, UntrustedError, diff_in, parse_diff


def packed(whole: object) -> bytes:
    return archive({"diff.json": json.dumps(whole)})


def test_a_sound_diff_is_taken() -> None:
    assert diff_in(packed(form(stacks=[stack()])))["stacks"][0]["stack"] == "demo"


def test_a_diff_in_its_folder_is_taken() -> None:
    assert diff_in(archive({"out/": "", "out/diff.json": json.dumps(form())}), folder="out/")["untouched"] == 3


@pytest.mark.parametrize(
    "name", ["number", "../diff.json", "/etc/passwd", "a/diff.json", "DIFF.JSON", "pr_number.txt", "comment.md/"]
)
def test_a_strange_name_refuses_the_whole(name: str) -> None:
    with pytest.raises(UntrustedError, match="holds a file"):
        diff_in(archive({"diff.json": json.dumps(form()), name: "7"}))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_refuse_the_whole() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as opened:
        opened.writestr("diff.json", json.dumps(form()))
        opened.writestr("diff.json", json.dumps(form()))
    with pytest.raises(UntrustedError, match="holds a file"):
        diff_in(whole.getvalue())


def test_a_bomb_is_not_unpacked() -> None:
    bomb = archive({"diff.json": b"0" * (LARGEST_DIFF + 1)})
    assert len(bomb) < 100_000
    with pytest.raises(UntrustedError, match="larger"):
        diff_in(bomb)


def test_a_large_archive_is_not_opened() -> None:
    with pytest.raises(UntrustedError, match="larger"):
        diff_in(b"0" * (LARGEST_ARCHIVE + 1))


@pytest.mark.parametrize("broken", [b"", b"PK", b"no archive", packed(form())[:-30], packed(form())[30:]])
def test_what_is_no_archive_is_refused(broken: bytes) -> None:
    with pytest.raises(UntrustedError):
        diff_in(broken)


def test_every_truncation_and_flip_is_refused_or_read_without_a_crash() -> None:
    whole = packed(form())
    for place in range(0, len(whole), 7):
        for broken in (whole[:place], whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]):
            try:
                diff_in(broken)
            except UntrustedError:
                continue


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"schema_version": NaN}',
        json.dumps(form(schema_version=2)).encode(),
        json.dumps(form(schema_version="1")).encode(),
        json.dumps(form(extra="<img>")).encode(),
        json.dumps(form(untouched=1.5)).encode(),
        json.dumps(form(exit_code=True)).encode(),
        json.dumps(form(stacks=[stack(f"s{number}") for number in range(1001)])).encode(),
    ],
)
def test_what_is_not_of_the_shape_is_refused(text: bytes) -> None:
    with pytest.raises(UntrustedError):
        parse_diff(text)


def test_the_refusal_does_not_repeat_what_was_sent() -> None:
    with pytest.raises(UntrustedError) as refused:
        parse_diff(json.dumps(form(verdict="@everyone <img>", **{"![x](y)": 1})).encode())
    assert "everyone" not in str(refused.value)
    assert "![" not in str(refused.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"stacks": [stack(after={"verdict": "over", "reason": "", "exit_code": 10})]},
        {"verdict": "over", "stacks": [stack(after={"verdict": "over", "reason": "", "exit_code": 10})]},
        {"exit_code": 10},
        {"stacks": [stack(state="failed", failure="it does not parse", after=None)]},
        {"verdict": "failed"},
    ],
)
def test_a_summit_that_is_kinder_than_what_is_below_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(UntrustedError):
        parse_diff(json.dumps(form(**changes)).encode())


@pytest.mark.parametrize(
    "changes",
    [
        {"stacks": [stack(state="unchanged", after={"verdict": "over", "reason": "", "exit_code": 10})]},
        {"stacks": [stack(after={"verdict": "over", "reason": "an old breach", "exit_code": 1})]},
        {"verdict": "over", "stacks": [stack(state="failed", failure="x", after=None)], "exit_code": 10},
        {"stacks": [stack(state="removed", new=None, after=None)]},
    ],
)
def test_an_honest_summit_is_taken(changes: dict[str, object]) -> None:
    assert parse_diff(json.dumps(form(**changes)).encode())["stacks"]
