"""The buckets of a relocation: how each side is reached, where its manifests lie, and what the target already holds."""

from __future__ import annotations

import time
from base64 import b64encode
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import md5, sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from components.agents.mover.ledger import NAME, CopyLedger
from components.agents.mover.manifests.manifest import ManifestError
from components.agents.mover.store import responses, s3_client
from components.agents.mover.store.connection import ConnectionLostError, HttpConnection, SigV4Signer, encode_query
from components.agents.mover.store.model import StoreError
from operations.relocation.buckets.canary import PREFIX, place_of
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from pathlib import Path

    from components.agents.mover.store.model import BucketClient, BucketEndpoint
    from operations.relocation.config.endpoints import BucketMove, Places

    Connect = Callable[[BucketEndpoint], BucketClient]


RESERVED: Final = PREFIX  # of our own objects, on both sides: canaries
COUNTS_TAGS: Final = frozenset({"aws", "minio"})  # kinds of stores that tell how many tags an object has
NAMED: Final = 10  # of each kind, in messages
connect: Final[Connect] = s3_client.connect


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPair:
    """A bucket and where it goes.

    Args:
        folder: with its ledger and its manifests.
    """

    bucket: BucketMove
    source: BucketEndpoint
    target: BucketEndpoint
    folder: Path


def pair_buckets(places: Places, *, folder: Path, secrets: Mapping[str, str]) -> tuple[BucketPair, ...]:
    """Every bucket, reached with the movers' keys.

    Args:
        folder: of the relocation.
    """
    source, target = places.source.store, places.target.store
    return tuple(
        BucketPair(
            bucket=each,
            source=place_of(source, source.mover, each.source, secrets),
            target=place_of(target, target.mover, each.target, secrets),
            folder=folder / "manifests" / each.source,
        )
        for each in places.buckets
    )


def find_foreign_objects(pair: BucketPair, *, connected: Connect = connect) -> tuple[int, list[str]]:
    """Objects of the target that this relocation did not write: how many, and the first of them.

    Raises:
        StoreError: the store refused.
    """
    found: list[str] = []
    count = 0
    with closing(connected(pair.target)) as store, _ours(pair) as ours:
        mine = next(ours, None)
        for each in store.listing():
            while mine is not None and _order(mine) < _order(each.key):
                mine = next(ours, None)
            if each.key != mine and not each.key.startswith(RESERVED):
                count += 1
                found += [each.key] if len(found) < NAMED else []
    return count, found


@contextmanager
def _ours(pair: BucketPair) -> Generator[Iterator[str]]:
    """Keys that this relocation wrote, or was about to write, in the order of a listing."""
    if not (pair.folder / NAME).exists():
        yield iter(())
        return
    with CopyLedger(pair.folder, source=pair.source, target=pair.target, versions=pair.bucket.versions) as ledger:
        yield _merge_keys(iter(ledger.intended()), (key for key, _ in ledger.by_key()))


def _merge_keys(one: Iterator[str], other: Iterator[str]) -> Iterator[str]:
    left, right = next(one, None), next(other, None)
    while left is not None or right is not None:
        if right is None or (left is not None and _order(left) <= _order(right)):
            yield left or ""
            left = next(one, None)
        else:
            yield right
            right = next(other, None)


def _order(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


@contextmanager
def translate_store_errors() -> Generator[None]:
    """What stores and manifests say, as a step says it.

    Raises:
        StepError: one of them refused or is broken.
    """
    try:
        yield
    except (StoreError, ManifestError) as error:
        raise StepError(str(error)) from error


def format_keys(keys: list[str]) -> str:
    """The first keys for a message, however odd they are."""
    shown = ", ".join(repr(each) for each in keys[:NAMED])
    return f"{shown}, ..." if len(keys) > NAMED else shown


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
