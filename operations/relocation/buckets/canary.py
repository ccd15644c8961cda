"""Tries to write into a bucket as its writers do. What is refused was allowed before; else it would prove nothing."""

from __future__ import annotations

import secrets
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from components.agents.mover.store.model import Head, StoreError
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from components.agents.mover.store.s3_client import S3Store

PREFIX: Final = ".atoll-canary/"
CONTENT: Final = b"a canary of atoll relocate: delete it\n"
LIKE: Final = Head(size=len(CONTENT), etag="", headers=(("content-type", "text/plain"),))
DENIED: Final = "AccessDenied"


def may_write(store: S3Store) -> bool:
    """Whether a multipart upload may begin; it is aborted and leaves no object.

    Raises:
        StepError: the store answers something else than yes or no.
    """
    key = PREFIX + secrets.token_hex(8)
    try:
        upload = store.create_upload(key, like=LIKE)
    except StoreError as error:
        return _is_no(store, error)
    # It began, which answers the question; an upload without parts costs nothing, and nothing can be read of it.
    with suppress(StoreError):
        store.abort_upload(key, upload)
    return True


def may_read(store: S3Store) -> bool:
    """Whether the bucket can be listed.

    Raises:
        StepError: as `may_write`.
    """
    try:
        next(iter(store.list_objects(prefix=PREFIX)), None)
    except StoreError as error:
        return _is_no(store, error)
    return True


def check_writes_refused(store: S3Store) -> dict[str, str]:
    """Try to write an object, begin an upload and delete; each must be refused.

    Raises:
        StepError: one of them succeeded; what it made is deleted, or named.
    """
    key = PREFIX + secrets.token_hex(8)
    # Each by itself: a policy may refuse one action and let another through.
    for what, attempt in (("write", _put), ("upload in parts", _begin), ("delete", _delete)):
        try:
            left = attempt(store, key)
        except StoreError as error:
            _is_no(store, error)
            continue
        bucket = store.place.bucket
        raise StepError(
            f"a canary {what} that succeeds: somebody may still write into {bucket}",
            hint="find out whom the freeze does not bind; `atoll relocate rollback` lets the others write again",
            evidence={"bucket": bucket, "canary": what, "left_behind": left},
        )
    return {"bucket": store.place.bucket, "write": "refused", "upload in parts": "refused", "delete": "refused"}


def _put(store: S3Store, key: str) -> str:
    made = store.put(key, memoryview(CONTENT), sha256=sha256(CONTENT).hexdigest(), like=LIKE)
    return _remove_canary(store, key, made.version)


def _begin(store: S3Store, key: str) -> str:
    upload = store.create_upload(key, like=LIKE)
    with suppress(StoreError):
        store.abort_upload(key, upload)
        return ""
    return f"an upload of {key} that was begun"


def _delete(store: S3Store, key: str) -> str:
    """Delete a key that does not exist, which leaves a marker in a versioned bucket."""
    store.delete(key)
    return _remove_canary(store, key, "")


def _remove_canary(store: S3Store, key: str, version: str) -> str:
    """Remove the canary's object; its key if that is refused."""
    with suppress(StoreError):
        if version:
            store.delete(key, version=version)
        # A versioned bucket keeps the canary below its delete marker.
        for each in list(store.list_versions(prefix=key)):
            store.delete(each.key, version=each.version)
        return ""
    with suppress(StoreError):
        store.delete(key)
    return key


def _is_no(store: S3Store, error: StoreError) -> bool:
    """False if the store denied access.

    Raises:
        StepError: it has said something else, which proves nothing.
    """
    if error.code == DENIED:
        return False
    raise StepError(
        f"the canary of bucket {store.place.bucket} was answered {error.code or 'nothing'}, which proves nothing",
        hint=f"look at the canary's keys and at the store, and run again; {error}",
    ) from error
