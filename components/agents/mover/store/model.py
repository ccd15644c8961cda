"""Types of an object store: endpoint, listed objects, and their HTTP headers."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from email.header import decode_header, make_header
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Mapping


BLOCK: Final = 16 * 2**20  # bytes; what our own hash is made of, and the smallest part of an upload
# System metadata that a copy carries, as HTTP names it in lower case.
CARRIED: Final = ("cache-control", "content-disposition", "content-encoding", "content-language", "content-type")
Pairs = tuple[tuple[str, str], ...]  # sorted by name


class StoreError(Exception):
    """A store refused or failed; the message names bucket, key and the store's answer.

    Args:
        code: the store's own word ("AccessDenied"), or "" where no answer came.
        status: of HTTP; 0 where no answer came.
        server_time: of the answer; 0 where it is not known.
    """

    def __init__(self, message: str, *, code: str = "", status: int = 0, server_time: float = 0.0) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.server_time = server_time


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketEndpoint:
    """A bucket and its access.

    Args:
        endpoint: "https://s3.us-east-1.amazonaws.com", without a path.
        authority: file of the authority that signed the endpoint's certificate; "" for those of the system.
        path_style: whether the bucket stands in the path rather than in the host's name.
    """

    endpoint: str
    region: str
    bucket: str
    access_key: str
    secret_key: str = field(repr=False)
    session_token: str = field(default="", repr=False)
    authority: str = ""
    path_style: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One version of an object in a listing, without metadata.

    Args:
        version: id at this store; "" in a bucket without versions.
        latest: whether it is what a read without a version gets.
        deleted: a delete marker, which has no bytes.
        etag: the store's own, only to tell that an object has changed since; never proof of what it holds.
        modified: seconds since 1970 by the store's clock.
    """

    key: str
    size: int
    version: str = ""
    latest: bool = True
    deleted: bool = False
    etag: str = ""
    modified: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Size, etag and headers of an object.

    Args:
        headers: those of `CARRIED` that it has.
        metadata: the user's own, names in lower case without the prefix.
        tag_count: how many tags it says to have; None where the store does not say.
        server_time: seconds since 1970, from the answer's Date; 0.0 where there is none.
    """

    size: int
    etag: str
    version: str = ""
    headers: Pairs = ()
    metadata: Pairs = ()
    tag_count: int | None = None
    server_time: float = 0.0


PREFIX: Final = "x-amz-meta-"
PREFIXES: Final = (PREFIX, "x-goog-meta-")
TAGS_MOST: Final = 10  # https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html (2026-11-22)
WORD_BYTES: Final = 45  # of text in one encoded word, which RFC 2047 keeps under 75 characters
_ENCODED: Final = re.compile(r"=\?[^?\s]+\?[bBqQ]\?[^?]*\?=")


def head_of(headers: Mapping[str, str]) -> Head:
    meta: list[tuple[str, str]] = []
    for name, value in headers.items():
        if name.startswith(PREFIXES):
            meta.append((name[len(PREFIXES[name.startswith("x-g")]) :], plain(value)))
    count = headers.get("x-amz-tagging-count")
    return Head(
        size=whole_size(headers),
        etag=headers.get("etag", "").strip('"'),
        version=headers.get("x-amz-version-id", ""),
        headers=tuple([(name, headers[name]) for name in CARRIED if name in headers]),
        metadata=tuple(sorted(meta)),
        tag_count=None if count is None else int(count),
        server_time=server_time(headers),
    )


def whole_size(headers: Mapping[str, str]) -> int:
    """Size of the whole object, also in the answer to a range."""
    ranged = headers.get("content-range")
    return int(ranged.rpartition("/")[2]) if ranged else int(headers.get("content-length", "0"))


def server_time(headers: Mapping[str, str]) -> float:
    """Seconds since 1970 by the store's clock; 0.0 if unknown."""
    return _seconds(headers.get("date", ""))


@lru_cache(maxsize=16)  # the same second comes many times
def _seconds(date: str) -> float:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return 0.0


def headers_like(like: Head, tags: Pairs) -> dict[str, str]:
    """Request headers with the metadata and tags of another object.

    Raises:
        StoreError: more tags than a store takes.
    """
    found = dict(like.headers)
    for name, value in like.metadata:
        found[PREFIX + name] = mail_safe(value)
    if len(tags) > TAGS_MOST:
        raise StoreError(f"{len(tags)} tags, and a store takes {TAGS_MOST} at most", code="TooManyTags")
    if tags:
        found["x-amz-tagging"] = "&".join([f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in tags])
    return found


def mail_safe(value: str) -> str:
    """A header value: encoded words (RFC 2047) unless it is plain ASCII, as S3 answers.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html (read 2026-11-22)
    """
    if value.isascii() and value.isprintable() and value == value.strip() and not _ENCODED.search(value):
        return value
    words: list[bytes] = [b""]
    for letter in value:
        coded = letter.encode()
        if len(words[-1]) + len(coded) > WORD_BYTES:
            words.append(b"")
        words[-1] += coded
    return " ".join(f"=?UTF-8?B?{b64encode(each).decode()}?=" for each in words)


def plain(value: str) -> str:
    """A header value decoded: encoded words, or raw UTF-8."""
    if _ENCODED.search(value):
        try:
            return str(make_header(decode_header(value)))
        except (LookupError, ValueError):
            return value
    if value.isascii():
        return value
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        return value
