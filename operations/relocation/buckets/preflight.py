"""Questions to the stores of a bucket: may it be read and written, is it ours, do the clocks agree."""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from components.agents.mover.store.model import Head, StoreError
from operations.relocation.buckets.pairs import RESERVED, foreign, some

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from components.agents.mover.store.model import Place, Store
    from operations.relocation.buckets.pairs import Connect, Pair

MOST_SKEW: Final = 300  # seconds; signatures of requests are refused at 900
CONTENT: Final = b"atoll relocate asks whether it may write here\n"
LIKE: Final = Head(size=len(CONTENT), etag="", headers=(("content-type", "text/plain"),))
NO_BUCKET: Final = "NoSuchBucket"
NO_KEY: Final = "NoSuchKey"


def ask(pair: Pair, faults: list[str], *, now: Callable[[], datetime], connected: Connect) -> dict[str, object]:
    """Try what a copy does, on both sides; bad answers are added to the faults."""
    skews = {
        "source": _tried(pair.source, faults, _read, connected),
        "target": _tried(pair.target, faults, _written, connected),
    }
    for side, server_time in skews.items():
        if server_time and abs(server_time - now().timestamp()) > MOST_SKEW:
            apart = round(server_time - now().timestamp())
            faults.append(f"the clock of the {side}'s store is {apart} s away from this machine's: set it by NTP")
    found: dict[str, object] = {f"{side}_clock": "unknown" if not at else "agrees" for side, at in skews.items()}
    found |= _foreign(pair, faults, connected)
    return found


def still_to_copy(pair: Pair, *, connected: Connect) -> int:
    """Bytes of the source that the target does not hold yet, by both listings.

    Raises:
        StoreError: a store refused.
    """
    sizes = [_size(place, connected, versions=pair.bucket.versions) for place in (pair.source, pair.target)]
    return max(0, sizes[0] - sizes[1])


def _size(place: Place, connected: Connect, *, versions: bool) -> int:
    with closing(connected(place)) as store:
        try:
            return sum(each.size for each in (store.versions() if versions else store.listing()))
        except StoreError as error:
            if error.code == NO_BUCKET:
                return 0
            raise


def _tried(place: Place, faults: list[str], attempt: Callable[[Store], float], connected: Connect) -> float:
    """The server's time; 0 where it is not known."""
    with closing(connected(place)) as store:
        try:
            return attempt(store)
        except StoreError as error:
            faults.append(str(error))
            return error.server_time


def _read(store: Store) -> float:
    """Read the first byte of an object, as the mover will read all of them; one that goes meanwhile tells nothing."""
    server_time = 0.0
    for each in store.listing():
        if not each.size or each.key.startswith(RESERVED):
            continue
        try:
            return _read_one(store, each.key)
        except StoreError as error:
            if error.code != NO_KEY:
                raise
            server_time = error.server_time
    return server_time


def _read_one(store: Store, key: str) -> float:
    store.tags(key)
    body = store.open(key, first=0, last=0)
    body.close()
    return store.head(key).server_time


def _written(store: Store) -> float:
    """Write an object, list, read and delete it. A bucket that is not there is for the next step to make."""
    key = f"{RESERVED}preflight"
    try:
        made = store.put(key, memoryview(CONTENT), sha256=sha256(CONTENT).hexdigest(), like=LIKE)
    except StoreError as error:
        if error.code == NO_BUCKET:
            return error.server_time
        raise
    try:
        next(iter(store.listing(prefix=key)), None)
        body = store.open(key)
        body.close()
        return store.head(key).server_time
    finally:
        store.delete(key, version=made.version)


def _foreign(pair: Pair, faults: list[str], connected: Connect) -> dict[str, object]:
    try:
        count, first = foreign(pair, connected=connected)
    except StoreError as error:
        if error.code == NO_BUCKET:
            return {"target_bucket": "is not there yet"}
        faults.append(str(error))
        return {}
    if count:
        said = f"{count} objects that are not this relocation's: {some(first)}"
        faults.append(f"bucket {pair.target.bucket} of the target holds {said}")
    return {"foreign_objects": count}
