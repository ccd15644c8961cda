"""What rclone does not see: an object of several parts that was written over with other bytes of the same size.

Its ETag is no digest of its bytes, so that `rclone sync --checksum` holds only sizes against each other. Listings tell:
what is listed otherwise than when the last whole round began is deleted at the target, and the next sync copies it.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from typing import TYPE_CHECKING, Final, cast

from components.agents.mover.store import s3_client
from components.agents.mover.store.model import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from components.agents.mover.store.model import Listed, Place
    from components.agents.mover.store.s3_client import S3Store

LISTED: Final = "rclone.listed"  # in the bucket's folder: objects of several parts when the last whole round began
NOW: Final = "rclone.listed-now"  # and as they are in the round that runs
OF_PARTS: Final = "-"  # https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html (2026-11-22): ETag
Line = tuple[str, str, int, float]


def before_sync(source: Place, target: Place, *, folder: Path, reserved: str) -> int:
    """Delete copies whose original was written since; how many. Killed at any moment, it finds the same ones again.

    Raises:
        StoreError: a store refused.
    """
    known, now = folder / LISTED, folder / NOW
    with closing(s3_client.connect(source)) as here:
        _write(now, here, reserved)
    if not known.exists():  # whatever is written from here on differs from this, even if this round is killed
        now.replace(known)
        return 0
    with closing(s3_client.connect(target)) as there:
        return sum(_delete(there, key) for key in _changed(known, now))


def after_sync(folder: Path) -> None:
    """From here on, what was listed before this round is what the target holds, or something older."""
    now = folder / NOW
    if now.exists():
        now.replace(folder / LISTED)


def _changed(known: Path, now: Path) -> Iterator[str]:
    """Keys that only one of the two lists, or both otherwise; both are in the order of their bytes.

    One that only one lists was, or is now, an object of one part: a digest on one side only is held against nothing.
    """
    before, after = _read(known), _read(now)
    left, right = next(before, None), next(after, None)
    while left is not None or right is not None:
        key = min((each[0] for each in (left, right) if each is not None), key=_order)
        here = left if left is not None and left[0] == key else None
        there = right if right is not None and right[0] == key else None
        if here != there:
            yield key
        left = next(before, None) if here else left
        right = next(after, None) if there else right


def _delete(store: S3Store, key: str) -> bool:
    try:
        store.head(key)
    except StoreError as error:
        if error.code == "NoSuchKey":
            return False
        raise
    store.delete(key)
    return True


def _write(path: Path, store: S3Store, reserved: str) -> None:
    with path.open("w", encoding="ascii") as file:
        for each in store.listing():
            if OF_PARTS in each.etag and not (reserved and each.key.startswith(reserved)):
                file.write(json.dumps(_line(each)) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _line(each: Listed) -> Line:
    return each.key, each.etag, each.size, each.modified


def _read(path: Path) -> Iterator[Line]:
    with path.open(encoding="ascii") as file:
        for line in file:
            key, etag, size, modified = cast("tuple[str, str, int, float]", json.loads(line))
            yield key, etag, size, modified


def _order(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")
