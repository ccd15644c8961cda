"""Questions to the stores of a bucket: may it be read and written, is it ours, do the clocks agree."""

from __future__ import annotations

import json
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from components.agents.mover.store.connection import EMPTY, ConnectionLostError, HttpConnection, SigV4Signer
from components.agents.mover.store.model import BucketEndpoint, Head, StoreError
from operations.relocation.buckets.pairs import RESERVED, BucketPair, find_foreign_objects, format_keys
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from components.agents.mover.scan import Connect
    from components.agents.mover.store.s3_client import S3Store
    from operations.relocation.config.endpoints import StorePlace


MOST_SKEW: Final = 300  # seconds; signatures of requests are refused at 900
CONTENT: Final = b"atoll relocate asks whether it may write here\n"
LIKE: Final = Head(size=len(CONTENT), etag="", headers=(("content-type", "text/plain"),))
NO_BUCKET: Final = "NoSuchBucket"
NO_KEY: Final = "NoSuchKey"


def probe_stores(
    pair: BucketPair, faults: list[str], *, now: Callable[[], datetime], connected: Connect
) -> dict[str, object]:
    """Try every operation of a copy on both sides; errors are added to the faults."""
    skews = {
        "source": _try_store(pair.source, faults, _read, connected),
        "target": _try_store(pair.target, faults, _try_write, connected),
    }
    for side, server_time in skews.items():
        if server_time and abs(server_time - now().timestamp()) > MOST_SKEW:
            apart = round(server_time - now().timestamp())
            faults.append(f"the clock of the {side}'s store is {apart} s away from this machine's: set it by NTP")
    found: dict[str, object] = {f"{side}_clock": "unknown" if not at else "agrees" for side, at in skews.items()}
    found |= _foreign(pair, faults, connected)
    return found


def still_to_copy(pair: BucketPair, *, connected: Connect) -> int:
    """Bytes of the source that the target does not have, by both listings.

    Raises:
        StoreError: a store refused.
    """
    sizes = [_size(place, connected, versions=pair.bucket.versions) for place in (pair.source, pair.target)]
    return max(0, sizes[0] - sizes[1])


def _size(place: BucketEndpoint, connected: Connect, *, versions: bool) -> int:
    with closing(connected(place)) as store:
        try:
            return sum(each.size for each in (store.list_versions() if versions else store.list_objects()))
        except StoreError as error:
            if error.code == NO_BUCKET:
                return 0
            raise


def _try_store(
    place: BucketEndpoint, faults: list[str], attempt: Callable[[S3Store], float], connected: Connect
) -> float:
    """The server's time; 0 if unknown."""
    with closing(connected(place)) as store:
        try:
            return attempt(store)
        except StoreError as error:
            faults.append(str(error))
            return error.server_time


def _read(store: S3Store) -> float:
    """Read the first byte of an object, as a copy worker does; an object that is deleted meanwhile is skipped."""
    server_time = 0.0
    for each in store.list_objects():
        if not each.size or each.key.startswith(RESERVED):
            continue
        try:
            return _read_one(store, each.key)
        except StoreError as error:
            # Deleted since it was listed: the source is still being written.
            if error.code != NO_KEY:
                raise
            server_time = error.server_time
    return server_time


def _read_one(store: S3Store, key: str) -> float:
    store.get_tags(key)
    body = store.open(key, first=0, last=0)
    body.close()
    return store.head(key).server_time


def _try_write(store: S3Store) -> float:
    """Write, list, read and delete an object. A missing bucket is created in the next step."""
    key = f"{RESERVED}preflight"
    try:
        made = store.put(key, memoryview(CONTENT), sha256=sha256(CONTENT).hexdigest(), like=LIKE)
    except StoreError as error:
        if error.code == NO_BUCKET:
            return error.server_time
        raise
    try:
        next(iter(store.list_objects(prefix=key)), None)
        body = store.open(key)
        body.close()
        return store.head(key).server_time
    finally:
        store.delete(key, version=made.version)


def _foreign(pair: BucketPair, faults: list[str], connected: Connect) -> dict[str, object]:
    try:
        count, first = find_foreign_objects(pair, connected=connected)
    except StoreError as error:
        if error.code == NO_BUCKET:
            return {"target_bucket": "is not there yet"}
        faults.append(str(error))
        return {}
    if count:
        said = f"{count} objects that are not this relocation's: {format_keys(first)}"
        faults.append(f"bucket {pair.target.bucket} of the target holds {said}")
    return {"foreign_objects": count}


INFO: Final = "/minio/admin/v3/info"  # minio/madmin-go v3, info-commands.go: ServerInfo
ANSWER_MOST: Final = 16 * 2**20
OK: Final = 200


def room_left(store: StorePlace, secrets: Mapping[str, str]) -> int | None:
    """Free bytes, as the administration API reports them; None where it does not."""
    return usable(_fetch_server_info(store, secrets))


def administrator_answers(store: StorePlace, secrets: Mapping[str, str]) -> bool:
    """Whether the administrator's keys are valid; keys that no step needs are not tried."""
    return store.admin is None or _fetch_server_info(store, secrets) is not None


def _fetch_server_info(store: StorePlace, secrets: Mapping[str, str]) -> object | None:
    """MinIO's server information; None if unavailable."""
    keys = store.admin
    if store.kind != "minio" or keys is None:
        return None
    connection = HttpConnection(store.endpoint, authority=store.authority)
    signer = SigV4Signer(
        access_key=secrets.get(keys.access_key_env, ""),
        secret_key=secrets.get(keys.secret_key_env, ""),
        region=store.region,
    )
    headers = signer.sign("GET", INFO, "", {"host": urlsplit(store.endpoint).netloc}, payload=EMPTY)
    try:
        answer = connection.send("GET", INFO, headers)
        said = connection.read_rest(answer, most=ANSWER_MOST)
        return cast("object", json.loads(said)) if answer.status == OK else None
    except (ConnectionLostError, ValueError):
        return None
    finally:
        connection.drop()


def usable(told: object) -> int | None:
    """Free bytes on all drives without the share of parity; None if unknown."""
    form = to_mapping(told)
    backend = to_mapping(form.get("backend"))
    drives = [drive for server in to_mappings(form.get("servers")) for drive in to_mappings(server.get("drives"))]
    free = [left for each in drives if isinstance(left := each.get("availspace"), int)]
    wide = [each for each in _list(backend.get("totalDrivesPerSet")) if isinstance(each, int)]
    if not free or len(free) != len(drives):
        return None
    parity = backend.get("standardSCParity")
    if not wide or not isinstance(parity, int):
        return sum(free)
    return sum(free) * (min(wide) - parity) // min(wide)


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
