"""An object's metadata as HTTP carries it: read from an answer, written into a request."""

from __future__ import annotations

import re
from base64 import b64encode
from email.header import decode_header, make_header
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from components.agents.mover.store.model import CARRIED, Head, StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.agents.mover.store.model import Pairs

PREFIX: Final = "x-amz-meta-"
PREFIXES: Final = (PREFIX, "x-goog-meta-")
TAGS_MOST: Final = 10  # https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html (2026-11-22)
WORD_BYTES: Final = 45  # of text in one encoded word, which RFC 2047 keeps under 75 characters
_ENCODED: Final = re.compile(r"=\?[^?\s]+\?[bBqQ]\?[^?]*\?=")


def head_of(headers: Mapping[str, str]) -> Head:
    """What an answer's headers say of an object."""
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
    """Size of the whole object, also where only a range of it was answered."""
    ranged = headers.get("content-range")
    return int(ranged.rpartition("/")[2]) if ranged else int(headers.get("content-length", "0"))


def server_time(headers: Mapping[str, str]) -> float:
    """Seconds since 1970 by the store's clock; 0.0 where it does not tell."""
    return _seconds(headers.get("date", ""))


@lru_cache(maxsize=16)  # the same second comes many times
def _seconds(date: str) -> float:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return 0.0


def headers_like(like: Head, tags: Pairs) -> dict[str, str]:
    """Headers that give a new object the metadata and tags of another.

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
    """A value as a header may hold it: encoded words (RFC 2047) where it is not plain ASCII, as S3 itself answers.

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
    """A value as its owner meant it: encoded words decoded, bytes of UTF-8 read as such."""
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
