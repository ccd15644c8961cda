"""What stores answer in XML, read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_plus
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from components.agents.mover.store.model import BucketEndpoint, Listed, Pairs, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingPage:
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
    """Parse a document and drop its namespace.

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
    """Decode a key of a listing."""
    # Percent-encoded, for XML cannot hold every character that a key may have.
    return unquote_plus(text) if encoding == "url" else text


def page_of_objects(content: bytes) -> ListingPage:
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
    return ListingPage(
        found=found, more=_text(root, "IsTruncated") == "true", token=_text(root, "NextContinuationToken")
    )


def page_of_versions(content: bytes) -> ListingPage:
    """A page of ListObjectVersions: versions and delete markers in their order."""
    root = _tree(content)
    encoding = _text(root, "EncodingType")
    return ListingPage(
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
    root = _tree(content)
    encoding = _text(root, "EncodingType")
    return tuple(
        _text(each, "UploadId")
        for each in root.iterfind("Upload")
        if _name(_text(each, "Key"), encoding=encoding) == key
    )


def tags_of(content: bytes) -> Pairs:
    return tuple(sorted((_text(each, "Key"), _text(each, "Value")) for each in _tree(content).iterfind("TagSet/Tag")))


def tagging(tags: Pairs) -> bytes:
    each = "".join(f"<Tag><Key>{escape(name)}</Key><Value>{escape(value)}</Value></Tag>" for name, value in tags)
    return f"<Tagging><TagSet>{each}</TagSet></Tagging>".encode()


def upload_id(content: bytes) -> str:
    return _text(_tree(content), "UploadId")


def parts_of(etags: Sequence[str]) -> bytes:
    each = "".join(
        f"<Part><PartNumber>{number}</PartNumber><ETag>&quot;{escape(etag)}&quot;</ETag></Part>"
        for number, etag in enumerate(etags, 1)
    )
    return f"<CompleteMultipartUpload>{each}</CompleteMultipartUpload>".encode()


def etag_of(content: bytes) -> str:
    """Etag of a completed upload; "" if the answer has none."""
    return _text(_tree(content), "ETag").strip('"')


# https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html and API_PutBucketVersioning.html (2026-11-22)
XMLNS: Final = "http://s3.amazonaws.com/doc/2006-03-01/"
VERSIONING: Final = (
    f'<VersioningConfiguration xmlns="{XMLNS}"><Status>Enabled</Status></VersioningConfiguration>'.encode()
)
DEFAULT_REGION: Final = "us-east-1"  # whose buckets name no region


def location_of(region: str) -> bytes:
    if region in {"", DEFAULT_REGION}:
        return b""
    where = f"<LocationConstraint>{region}</LocationConstraint>"
    return f'<CreateBucketConfiguration xmlns="{XMLNS}">{where}</CreateBucketConfiguration>'.encode()


def keeps_versions(content: bytes) -> bool:
    return _text(_tree(content), "Status") == "Enabled"


def refusal(content: bytes) -> Refusal | None:
    """The error in an answer; None without one."""
    try:
        root = _tree(content)
    except StoreError:
        return None
    if root.tag != "Error":
        return None
    return Refusal(code=_text(root, "Code"), message=_text(root, "Message"))


def _seconds(stamp: str) -> float:
    """Seconds since 1970 of an ISO time."""
    if not stamp:
        return 0.0
    return datetime.fromisoformat(stamp).astimezone(UTC).timestamp()


# Codes: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html (2026-11-22) and MinIO's cmd/api-errors.go.
HINTS: Final = {
    "AccessDenied": "these keys may not do that here: look at the user's policy and at the bucket's",
    "AllAccessDisabled": "the bucket is closed by its provider",
    "AuthorizationHeaderMalformed": "the region in the places is not the bucket's",
    "EntityTooLarge": "the store takes no upload of this size",
    "ExpiredToken": "the temporary keys ran out: get new ones and run it again, it goes on where it stopped",
    "InvalidAccessKeyId": "the store does not know this access key",
    "InvalidObjectState": "it lies in an archive tier: restore it first",
    "InvalidToken": "the session token is not the one of these keys",
    "InvalidTokenId": "the session token is not the one of these keys, or ran out",
    "NoSuchBucket": "there is no such bucket: build it, or mend its name in the places",
    "PermanentRedirect": "the bucket is at another endpoint or in another region",
    "QuotaExceeded": "the bucket's quota is used up: raise it and run it again, it goes on where it stopped",
    "RequestTimeTooSkewed": "the clocks of this machine and of the store are too far apart: set this one by NTP",
    "SignatureDoesNotMatch": "the secret key is not the one of this access key",
    "XMinioAdminBucketQuotaExceeded": "the bucket's quota is used up: raise it and run it again",
    "XMinioInvalidObjectName": "MinIO takes no such key: it keeps objects as files, whose names have bounds",
    "XMinioInvalidResourceName": "MinIO takes no such key: it keeps objects as files and refuses '.' and '..' in them",
    "XMinioStorageFull": "the store's drives are full: make room and run it again, it goes on where it stopped",
}
# Where keys are temporary: MinIO forgets them when they run out, and refuses them when their user is closed.
RAN_OUT: Final = HINTS["ExpiredToken"]
HINTS_OF_TEMPORARY: Final = {
    "AccessDenied": f"{HINTS['AccessDenied']}; or {RAN_OUT}",
    "InvalidAccessKeyId": f"{HINTS['InvalidAccessKeyId']}, or {RAN_OUT}",
    "InvalidTokenId": RAN_OUT,
}
# An answer without a body says only its status.
BY_STATUS: Final = {
    301: "PermanentRedirect",
    400: "BadRequest",
    401: "Unauthorized",
    403: "AccessDenied",
    404: "NoSuchKey",
    405: "MethodNotAllowed",
    412: "PreconditionFailed",
    501: "NotImplemented",
    507: "XMinioStorageFull",
}
AGAIN_STATUS: Final = frozenset({429, 500, 502, 503, 504})
AGAIN_CODES: Final = frozenset(
    {"InternalError", "OperationAborted", "RequestTimeout", "ServiceUnavailable", "SlowDown", "SlowDownRead"}
    | {"SlowDownWrite", "Throttling", "XMinioServerNotInitialized"}
)
# After one of these the next object would be refused too.
UNKNOWN_HERE: Final = frozenset({"NotImplemented", "MethodNotAllowed"})
NO_VERSIONS: Final = Refusal(code="NotImplemented", message="older versions are not read from Google's store")
FINAL: Final = frozenset(HINTS) - {
    "AccessDenied",
    "EntityTooLarge",
    "InvalidObjectState",
    "XMinioInvalidObjectName",
    "XMinioInvalidResourceName",
}
KEY_MOST: Final = 160  # characters of a key in a message
MESSAGE_MOST: Final = 300  # characters of a store's own words


def read(content: bytes, status: int) -> Refusal:
    """Parse a refusal; from its status if it has no body."""
    found = refusal(content) if content else None
    if found is not None and found.code:
        return found
    return Refusal(code=BY_STATUS.get(status, ""), message="")


def is_transient(found: Refusal, status: int) -> bool:
    """Whether a retry may succeed at once."""
    return found.code not in FINAL and (status in AGAIN_STATUS or found.code in AGAIN_CODES)


def is_fatal(error: StoreError) -> bool:
    """Whether every other request would fail too: the store, the bucket or the keys are at fault."""
    return error.code in FINAL or not error.status


def format_location(place: BucketEndpoint, key: str) -> str:
    """A bucket or object on one line of a message, whatever characters its key has."""
    if not key:
        return f"bucket {place.bucket}"
    text = key if key.isprintable() else repr(key)[1:-1]
    return f"{place.bucket}/{text if len(text) <= KEY_MOST else f'{text[:KEY_MOST]}... ({len(key)} characters)'}"


def error(place: BucketEndpoint, what: str, found: Refusal, status: int) -> StoreError:
    """The error for a person: operation, object, answer and hint."""
    said = without_secrets(place, " ".join(found.message.split())[:MESSAGE_MOST])
    hints = {**HINTS, **HINTS_OF_TEMPORARY} if place.session_token else HINTS
    hint = hints.get(found.code, "")
    words = f"{what} at {place.endpoint}: {found.code or 'refused'} ({status})"
    parts = [words, said.rstrip("."), hint]
    return StoreError("; ".join([each for each in parts if each]), code=found.code, status=status)


def unreachable(place: BucketEndpoint, what: str, why: str) -> StoreError:
    """The error without an answer."""
    return StoreError(f"{what} at {place.endpoint}: {without_secrets(place, why)}")


def without_secrets(place: BucketEndpoint, text: str) -> str:
    """A store's message without credentials."""
    for each in (place.secret_key, place.session_token):
        if each:
            text = text.replace(each, "***")
    return text
