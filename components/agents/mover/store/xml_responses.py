"""What stores answer in XML, read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from components.agents.mover.store.model import Listed, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.agents.mover.store.model import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a listing.

    Args:
        more: whether another page follows.
        token: of the next page, or its key marker.
        version: marker of the next page where versions are listed.
    """

    found: tuple[Listed, ...]
    more: bool
    token: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An error as a store words it."""

    code: str
    message: str


def _tree(content: bytes) -> ET.Element:
    """A document without its name space.

    Raises:
        StoreError: it is not XML.
    """
    try:
        root = ET.fromstring(content)  # noqa: S314 - the parser that Python ships bounds entities since expat 2.4.1
    except ET.ParseError:
        raise StoreError("the store's answer is not XML") from None
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]
    return root


def _text(node: ET.Element, name: str) -> str:
    return node.findtext(name) or ""


def _name(text: str, *, encoding: str) -> str:
    """A key as it was, which came percent-encoded because XML cannot hold every character."""
    return unquote_plus(text) if encoding == "url" else text


def page_of_objects(content: bytes) -> Page:
    """A page of ListObjectsV2."""
    root = _tree(content)
    encoding = _text(root, "EncodingType")
    found = tuple(
        Listed(
            key=_name(_text(each, "Key"), encoding=encoding),
            size=int(_text(each, "Size") or 0),
            etag=_text(each, "ETag").strip('"'),
            modified=_seconds(_text(each, "LastModified")),
        )
        for each in root.iterfind("Contents")
    )
    return Page(found=found, more=_text(root, "IsTruncated") == "true", token=_text(root, "NextContinuationToken"))


def page_of_versions(content: bytes) -> Page:
    """A page of ListObjectVersions: versions and delete markers in the order that they stand."""
    root = _tree(content)
    encoding = _text(root, "EncodingType")
    return Page(
        found=tuple(_versions(root, encoding)),
        more=_text(root, "IsTruncated") == "true",
        token=_name(_text(root, "NextKeyMarker"), encoding=encoding),
        version=_text(root, "NextVersionIdMarker"),
    )


def _versions(root: ET.Element, encoding: str) -> Iterator[Listed]:
    for each in root:
        if each.tag not in {"Version", "DeleteMarker"}:
            continue
        yield Listed(
            key=_name(_text(each, "Key"), encoding=encoding),
            size=int(_text(each, "Size") or 0),
            version=_text(each, "VersionId"),
            latest=_text(each, "IsLatest") == "true",
            deleted=each.tag == "DeleteMarker",
            etag=_text(each, "ETag").strip('"'),
            modified=_seconds(_text(each, "LastModified")),
        )


def uploads_of(content: bytes, key: str) -> tuple[str, ...]:
    """Ids of the unfinished uploads of exactly this key."""
    root = _tree(content)
    encoding = _text(root, "EncodingType")
    return tuple(
        _text(each, "UploadId")
        for each in root.iterfind("Upload")
        if _name(_text(each, "Key"), encoding=encoding) == key
    )


def tags_of(content: bytes) -> Pairs:
    """An object's tags."""
    return tuple(sorted((_text(each, "Key"), _text(each, "Value")) for each in _tree(content).iterfind("TagSet/Tag")))


def tagging(tags: Pairs) -> bytes:
    """The document that replaces tags."""
    each = "".join(f"<Tag><Key>{escape(name)}</Key><Value>{escape(value)}</Value></Tag>" for name, value in tags)
    return f"<Tagging><TagSet>{each}</TagSet></Tagging>".encode()


def upload_id(content: bytes) -> str:
    """Id of an upload that was begun."""
    return _text(_tree(content), "UploadId")


def parts_of(etags: Sequence[str]) -> bytes:
    """The document that puts parts together."""
    each = "".join(
        f"<Part><PartNumber>{number}</PartNumber><ETag>&quot;{escape(etag)}&quot;</ETag></Part>"
        for number, etag in enumerate(etags, 1)
    )
    return f"<CompleteMultipartUpload>{each}</CompleteMultipartUpload>".encode()


def etag_of(content: bytes) -> str:
    """The etag of an upload that was put together; "" where the answer tells none."""
    return _text(_tree(content), "ETag").strip('"')


def keeps_versions(content: bytes) -> bool:
    """Whether a bucket's state says that it keeps versions."""
    return _text(_tree(content), "Status") == "Enabled"


def refusal(content: bytes) -> Refusal | None:
    """The error in an answer; None where it holds none."""
    try:
        root = _tree(content)
    except StoreError:
        return None
    if root.tag != "Error":
        return None
    return Refusal(code=_text(root, "Code"), message=_text(root, "Message"))


def _seconds(stamp: str) -> float:
    """Seconds since 1970 of a time as listings write it."""
    if not stamp:
        return 0.0
    return datetime.fromisoformat(stamp).astimezone(UTC).timestamp()
