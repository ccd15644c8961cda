"""What an object store tells its administrator: whether the keys are good, and how much room is left."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from components.agents.mover.store.connection import Connection, ConnectionLostError
from components.agents.mover.store.signature import EMPTY, Signer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.relocation.config.endpoints import StorePlace

INFO: Final = "/minio/admin/v3/info"  # minio/madmin-go v3, info-commands.go: ServerInfo
ANSWER_MOST: Final = 16 * 2**20
OK: Final = 200


def room_left(store: StorePlace, secrets: Mapping[str, str]) -> int | None:
    """Bytes that still fit in, by what its administrator is told; None where nobody says."""
    return usable(_told(store, secrets))


def administrator_answers(store: StorePlace, secrets: Mapping[str, str]) -> bool:
    """Whether the keys of its administrator are good; those of whom no step needs are not asked for."""
    return store.admin is None or _told(store, secrets) is not None


def _told(store: StorePlace, secrets: Mapping[str, str]) -> object | None:
    """What MinIO tells its administrator; None where it does not."""
    keys = store.admin
    if store.kind != "minio" or keys is None:
        return None
    host = urlsplit(store.endpoint).netloc
    connection = Connection(store.endpoint, authority=store.authority)
    signer = Signer(
        access_key=secrets.get(keys.access_key_env, ""),
        secret_key=secrets.get(keys.secret_key_env, ""),
        region=store.region,
    )
    headers = {
        "host": host,
        "x-amz-content-sha256": EMPTY,
        "x-amz-date": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
    }
    headers["authorization"] = signer.authorization("GET", INFO, "", headers, payload=EMPTY)
    try:
        answer = connection.send("GET", INFO, headers)
        said = connection.rest(answer, most=ANSWER_MOST)
        return cast("object", json.loads(said)) if answer.status == OK else None
    except (ConnectionLostError, ValueError):
        return None
    finally:
        connection.drop()


def usable(told: object) -> int | None:
    """Bytes left on all drives, without the share that parity takes; None where it is not said."""
    form = _fields(told)
    backend = _fields(form.get("backend"))
    drives = [_fields(each) for server in _list(form.get("servers")) for each in _list(_fields(server).get("drives"))]
    free = [left for each in drives if isinstance(left := each.get("availspace"), int)]
    wide = [each for each in _list(backend.get("totalDrivesPerSet")) if isinstance(each, int)]
    if not free or len(free) != len(drives):
        return None
    parity = backend.get("standardSCParity")
    if not wide or not isinstance(parity, int):
        return sum(free)
    return sum(free) * (min(wide) - parity) // min(wide)


def _fields(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
