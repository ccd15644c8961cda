"""One bucket of a store that speaks S3: AWS, MinIO, and Google's XML interface with interoperability keys."""

from __future__ import annotations

import random
import time
from base64 import b64encode
from hashlib import md5, sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from components.agents.mover.store import responses
from components.agents.mover.store.connection import (
    EMPTY,
    ConnectionLostError,
    HttpConnection,
    ResponseHead,
    SigV4Signer,
    encode_path,
    encode_query,
)
from components.agents.mover.store.model import (
    BucketEndpoint,
    Head,
    Listed,
    Pairs,
    StoreError,
    head_of,
    headers_like,
    server_time,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.agents.mover.store.responses import ListingPage

ANSWER_MOST: Final = 16 * 2**20  # bytes of an answer in XML; 1,000 keys of 1,024 bytes, encoded, are 4 MiB
OK: Final = 300  # statuses below it
GONE: Final = 404
OURS: Final = "BucketAlreadyOwnedByYou"
GOOGLE: Final = "storage.googleapis.com"
ATTEMPTS: Final = 7  # of one request, together about 20 seconds of waiting
FIRST_WAIT: Final = 0.2  # seconds, doubled after each attempt
LONGEST_WAIT: Final = 8.0  # seconds
Query = tuple[tuple[str, str], ...]


def connect(place: BucketEndpoint) -> S3Store:
    """Open a store for one thread; nothing is sent yet."""
    return S3Store(place)


class S3Store:
    """Client of one bucket, for one thread.

    Every method raises StoreError; what can be tried again was tried again.

    Attributes:
        lost: how often an answer was lost and the request sent again, so that a write may have been done twice.
    """

    def __init__(self, place: BucketEndpoint) -> None:
        parts = urlsplit(place.endpoint)
        # A certificate for *.store does not hold for a bucket with a dot.
        inside = place.path_style or (parts.scheme == "https" and "." in place.bucket)
        host = "" if inside else f"{place.bucket}.{parts.hostname}"
        self.place = place
        self.lost = 0
        self._root = f"/{place.bucket}" if inside else ""
        self._host = parts.netloc if inside else f"{place.bucket}.{parts.netloc}"
        self._connection = HttpConnection(place.endpoint, authority=place.authority, host=host)
        self._signer = SigV4Signer(
            access_key=place.access_key,
            secret_key=place.secret_key,
            region=place.region,
            session_token=place.session_token,
        )
        self._google = parts.netloc.endswith(GOOGLE)
        # Google unpacks what was stored with gzip, unless one says that packed is welcome.
        # https://cloud.google.com/storage/docs/transcoding (2026-11-22)
        self._reading = {"accept-encoding": "gzip"} if self._google else {}

    def close(self) -> None:
        """Close the connection; the next request reopens it."""
        self._connection.drop()

    def list_objects(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        """Current objects, in the order of the keys' UTF-8 bytes."""
        query = (("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix))
        where: Query = (("start-after", after),) if after else ()
        while True:
            page = responses.page_of_objects(self._read_document("GET", "", (*query, *where)))
            yield from page.found
            if not page.more:
                return
            where = (("continuation-token", page.token),)

    def list_versions(self, *, prefix: str = "", after: str = "") -> Iterator[Listed]:
        """Every version and delete marker, by key, the newest first."""
        if self._google:  # its XML tells generations in words of its own
            raise responses.error(self.place, self._describe_request("GET", ""), responses.NO_VERSIONS, 501)
        query = (("versions", ""), ("encoding-type", "url"), ("prefix", prefix))
        where: Query = (("key-marker", after),) if after else ()
        while True:
            page: ListingPage = responses.page_of_versions(self._read_document("GET", "", (*query, *where)))
            yield from page.found
            if not page.more:
                return
            where = (("key-marker", page.token), ("version-id-marker", page.version))

    def head(self, key: str, *, version: str = "") -> Head:
        answer = self._ask("HEAD", key, _of(version))
        self._connection.finish(answer)
        return head_of(answer.headers)

    def get_tags(self, key: str, *, version: str = "") -> Pairs:
        """Tags; none if the store does not support them."""
        if self._google:
            return ()
        try:
            return responses.tags_of(self._read_document("GET", key, (("tagging", ""), *_of(version))))
        except StoreError as error:
            # A store that does not know the question has no tags to lose.
            if error.code in responses.UNKNOWN_HERE:
                return ()
            raise

    def open(self, key: str, *, version: str = "", first: int = 0, last: int = -1, etag: str = "") -> S3Body:
        """Bytes `first` to `last`, both included; `last` -1 for the end.

        Args:
            etag: only if it still has this one; StoreError with status 412 if not.
        """
        return S3Body(self, key, version=version, first=first, last=last, etag=etag)

    def put(self, key: str, body: memoryview, *, sha256: str, like: Head, tags: Pairs = ()) -> Head:
        """Write an object in one request; the store checks the hexadecimal digest."""
        answer = self._ask("PUT", key, headers=self._build_headers(like, tags), body=body, digest=sha256)
        self._finish_reading(answer)
        return head_of({**answer.headers, "content-length": str(len(body))})

    def create_upload(self, key: str, *, like: Head, tags: Pairs = ()) -> str:
        """Begin a multipart upload; its id."""
        content = self._read_document("POST", key, (("uploads", ""),), headers=self._build_headers(like, tags))
        return responses.upload_id(content)

    def upload_part(self, key: str, upload: str, number: int, body: memoryview, *, sha256: str) -> str:
        """Upload one part; its etag."""
        query = (("partNumber", str(number)), ("uploadId", upload))
        answer = self._ask("PUT", key, query, body=body, digest=sha256)
        self._finish_reading(answer)
        return answer.headers.get("etag", "").strip('"')

    def complete_upload(self, key: str, upload: str, etags: Sequence[str]) -> Head:
        before = self.lost
        body = responses.parts_of(etags)
        try:
            answer = self._ask("POST", key, (("uploadId", upload),), body=memoryview(body), digest=_digest(body))
        except StoreError as error:
            if error.code == "NoSuchUpload" and self.lost > before:  # it was done and the answer was lost
                found = self.head(key)
                if found.etag.endswith(f"-{len(etags)}"):
                    return found
            raise
        content = self._finish_reading(answer)
        said = responses.refusal(content)
        if said is not None:  # a long wait is begun with 200 and may still end badly
            raise responses.error(self.place, self._describe_request("POST", key), said, answer.status)
        return head_of({**answer.headers, "etag": responses.etag_of(content), "content-length": "0"})

    def abort_upload(self, key: str, upload: str) -> None:
        try:
            self._read_document("DELETE", key, (("uploadId", upload),))
        except StoreError as error:
            if error.status != GONE:
                raise

    def list_uploads(self, key: str) -> tuple[str, ...]:
        content = self._read_document("GET", "", (("uploads", ""), ("encoding-type", "url"), ("prefix", key)))
        return responses.uploads_of(content, key)

    def delete(self, key: str, *, version: str = "") -> str:
        """Delete an object; in a versioned bucket without a version, the id of the delete marker."""
        answer = self._ask("DELETE", key, _of(version))
        self._finish_reading(answer)
        return answer.headers.get("x-amz-version-id", "")

    def set_tags(self, key: str, tags: Pairs, *, version: str = "") -> None:
        if self._google:
            return
        query = (("tagging", ""), *_of(version))
        if not tags:
            self._read_document("DELETE", key, query)
            return
        self._put_document(key, query, responses.tagging(tags))

    def is_versioned(self) -> bool:
        return responses.keeps_versions(self._read_document("GET", "", (("versioning", ""),)))

    def keep_versions(self) -> None:
        self._put_document("", (("versioning", ""),), responses.VERSIONING)

    def exists(self) -> bool:
        try:
            self._read_document("HEAD", "", ())
        except StoreError as error:
            if error.status == GONE:
                return False
            raise
        return True

    def create(self) -> None:
        """Create the bucket; does nothing if we own it."""
        try:
            self._put_document("", (), responses.location_of(self.place.region))
        except StoreError as error:
            # A run that was killed may have made it.
            if error.code != OURS:
                raise

    def read(self, key: str, *, version: str, ranged: str, etag: str) -> ResponseHead:
        """Response head; the caller reads the body."""
        headers = dict(self._reading)
        if ranged:
            headers["range"] = ranged
        if etag:
            headers["if-match"] = f'"{etag}"'
        return self._ask("GET", key, _of(version), headers=headers)

    def take(self, answer: ResponseHead, buffer: memoryview) -> int:
        return self._connection.read_into(answer, buffer)

    def give_back(self, answer: ResponseHead) -> None:
        """Keep the connection, or close it if the body was not read to its end."""
        self._connection.finish(answer)

    def _put_document(self, key: str, query: Query, body: bytes) -> None:
        headers = {"content-md5": b64encode(md5(body, usedforsecurity=False).digest()).decode()}
        self._finish_reading(self._ask("PUT", key, query, headers=headers, body=memoryview(body), digest=_digest(body)))

    def _read_document(self, method: str, key: str, query: Query, *, headers: dict[str, str] | None = None) -> bytes:
        return self._finish_reading(self._ask(method, key, query, headers=headers))

    def _finish_reading(self, answer: ResponseHead) -> bytes:
        if not answer.left:
            self._connection.finish(answer)
            return b""
        try:
            return self._connection.read_rest(answer, most=ANSWER_MOST)
        except ConnectionLostError as error:
            raise responses.unreachable(self.place, f"an answer of {self.place.bucket}", str(error)) from None

    def _ask(
        self,
        method: str,
        key: str,
        query: Query = (),
        *,
        headers: dict[str, str] | None = None,
        body: memoryview | None = None,
        digest: str = EMPTY,
    ) -> ResponseHead:
        """Response head of a successful request, with retries."""
        path = f"{self._root}/{encode_path(key)}"
        text = encode_query(query)
        target = f"{path}?{text}" if text else path
        for attempt in range(1, ATTEMPTS + 1):
            signed = self._signer.sign(method, path, text, {"host": self._host, **(headers or {})}, payload=digest)
            if body is not None or method in {"PUT", "POST"}:
                signed["content-length"] = str(len(body) if body is not None else 0)
            try:
                answer = self._connection.send(method, target, signed, body)
                if answer.status < OK:
                    return answer
                said = responses.read(self._connection.read_rest(answer, most=ANSWER_MOST), answer.status)
            except ConnectionLostError as error:
                self.lost += error.unanswered
                if error.final or attempt == ATTEMPTS:
                    raise responses.unreachable(self.place, self._describe_request(method, key), str(error)) from None
            else:
                if attempt == ATTEMPTS or not responses.is_transient(said, answer.status):
                    refused = responses.error(self.place, self._describe_request(method, key), said, answer.status)
                    refused.server_time = server_time(answer.headers)
                    raise refused
            wait(attempt)
        raise AssertionError

    def _build_headers(self, like: Head, tags: Pairs) -> dict[str, str]:
        return headers_like(like, () if self._google else tags)  # it has no tags; the comparison names what is lost

    def _describe_request(self, method: str, key: str) -> str:
        return f"{method} of {responses.format_location(self.place, key)}"


class S3Body:
    """Body of an object; after a lost connection it resumes, if the object is unchanged."""

    def __init__(self, store: S3Store, key: str, *, version: str, first: int, last: int, etag: str) -> None:
        self._store = store
        self._key = key
        self._version = version
        self._at = first
        self._last = last
        self._resumed = 0
        self._answer = self._open(etag)
        self.head = head_of(self._answer.headers)

    def read_into(self, buffer: memoryview) -> int:
        """Fill the buffer; 0 at the end."""
        while True:
            try:
                count = self._store.take(self._answer, buffer)
            except ConnectionLostError as error:
                self._resumed += 1
                # Without an etag the rest may be of another object that was written meanwhile.
                if self._resumed == ATTEMPTS or not self.head.etag:
                    what = f"GET of {responses.format_location(self._store.place, self._key)}"
                    raise responses.unreachable(self._store.place, what, str(error)) from None
                wait(self._resumed)
                self._answer = self._open(self.head.etag)
                continue
            self._at += count
            return count

    def close(self) -> None:
        """Release the connection."""
        self._store.give_back(self._answer)

    def _open(self, etag: str) -> ResponseHead:
        ranged = f"bytes={self._at}-{self._last if self._last >= 0 else ''}" if self._at or self._last >= 0 else ""
        return self._store.read(self._key, version=self._version, ranged=ranged, etag=etag)


def wait(attempt: int) -> None:
    """Wait before a retry, exponentially longer."""
    most = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1))
    # With jitter: threads that failed together must not ask again together.
    time.sleep(most * random.uniform(0.5, 1.0))  # noqa: S311 - only so that threads do not ask in step


def _of(version: str) -> Query:
    return (("versionId", version),) if version else ()


def _digest(body: bytes) -> str:
    return sha256(body).hexdigest()
