"""Makes a bucket at the target where it is not there: what a stack would have made, for a store that is not ours."""

from __future__ import annotations

import time
from base64 import b64encode
from hashlib import md5, sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from components.agents.mover.store import responses
from components.agents.mover.store.connection import ConnectionLostError, HttpConnection, SigV4Signer, encode_query
from components.agents.mover.store.model import StoreError

if TYPE_CHECKING:
    from components.agents.mover.store.model import BucketEndpoint

# https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html and API_PutBucketVersioning.html (2026-11-22)
XMLNS: Final = "http://s3.amazonaws.com/doc/2006-03-01/"
DEFAULT_REGION: Final = "us-east-1"  # whose buckets name no region
OK: Final = 300  # statuses below it
NO_SUCH: Final = 404
ANSWER_MOST: Final = 2**20
OURS: Final = "BucketAlreadyOwnedByYou"


def is_there(place: BucketEndpoint) -> bool:
    """Whether the bucket exists.

    Raises:
        StoreError: the store says neither yes nor no.
    """
    try:
        _ask(place, "HEAD")
    except StoreError as error:
        if error.status == NO_SUCH:
            return False
        raise
    return True


def make(place: BucketEndpoint) -> None:
    """Make the bucket; nothing where it is ours already.

    Raises:
        StoreError: the store refuses.
    """
    region = "" if place.region in {"", DEFAULT_REGION} else place.region
    where = f"<LocationConstraint>{region}</LocationConstraint>"
    try:
        _ask(
            place,
            "PUT",
            body=f'<CreateBucketConfiguration xmlns="{XMLNS}">{where}</CreateBucketConfiguration>' * bool(region),
        )
    except StoreError as error:
        if error.code != OURS:
            raise


def keep_versions(place: BucketEndpoint) -> None:
    """Let the bucket keep versions.

    Raises:
        StoreError: the store refuses.
    """
    body = f'<VersioningConfiguration xmlns="{XMLNS}"><Status>Enabled</Status></VersioningConfiguration>'
    _ask(place, "PUT", query=(("versioning", ""),), body=body)


def _ask(place: BucketEndpoint, method: str, *, query: tuple[tuple[str, str], ...] = (), body: str = "") -> None:
    parts = urlsplit(place.endpoint)
    host = parts.netloc if place.path_style else f"{place.bucket}.{parts.netloc}"
    path = f"/{place.bucket}" if place.path_style else "/"
    text, content = encode_query(query), body.encode()
    connection = HttpConnection(place.endpoint, authority=place.authority, host=host.partition(":")[0])
    headers = _build_headers(place, method, path, text, content, host=host)
    what = f"{method} of bucket {place.bucket}"
    try:
        answer = connection.send(method, f"{path}?{text}" if text else path, headers, memoryview(content))
        said = b"" if method == "HEAD" else connection.rest(answer, most=ANSWER_MOST)
    except ConnectionLostError as error:
        raise responses.unreachable(place, what, str(error)) from None
    finally:
        connection.drop()
    if answer.status >= OK:
        raise responses.error(place, what, responses.read(said, answer.status), answer.status)


def _build_headers(
    place: BucketEndpoint, method: str, path: str, query: str, content: bytes, *, host: str
) -> dict[str, str]:
    digest = sha256(content).hexdigest()
    headers = {
        "host": host,
        "x-amz-content-sha256": digest,
        "x-amz-date": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
    }
    if place.session_token:
        headers["x-amz-security-token"] = place.session_token
    if content:
        headers["content-md5"] = b64encode(md5(content, usedforsecurity=False).digest()).decode()
    signer = SigV4Signer(access_key=place.access_key, secret_key=place.secret_key, region=place.region)
    headers["authorization"] = signer.authorization(method, path, query, headers, payload=digest)
    headers["content-length"] = str(len(content))
    return headers
