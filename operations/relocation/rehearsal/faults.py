"""What goes wrong on purpose, and what must then be refused or found."""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import requests

from components.agents.mover.store.model import Head, StoreError
from components.agents.mover.store.s3_client import connect
from operations.relocation.rehearsal.cluster import kind as kind_of
from operations.relocation.rehearsal.cluster import path_of
from operations.relocation.rehearsal.environment import TEAM_BUCKET, TRACKING_BUCKET, WRITER
from operations.relocation.rehearsal.store import ROOT

if TYPE_CHECKING:
    from components.agents.mover.store.model import Body
    from operations.relocation.rehearsal.environment import Scene, Setting

FLIPPED: Final = "/weights.txt"
PROBE: Final = "written-by-an-engineer"
WAIT: Final = 30.0
TRIES: Final = 5
READ_ONLY: Final = "read-only transaction"  # PostgreSQL's words


def flip_one_bit(scene: Scene) -> str:
    """Change one bit of one tracked artifact at the target and nothing else of it; its key."""
    with closing(connect(scene.target.store.place(TRACKING_BUCKET, user=ROOT))) as store:
        key = next(each.key for each in store.listing() if each.key.endswith(FLIPPED))
        body = store.open(key)
        content = _read(body)
        content[len(content) // 2] ^= 1
        digest = sha256(content).hexdigest()
        store.put(key, memoryview(content), sha256=digest, like=body.head, tags=store.tags(key))
    return key


def _read(body: Body) -> bytearray:
    content = bytearray(body.head.size)
    view, at = memoryview(content), 0
    while read := body.read_into(view[at:]):
        at += read
    body.close()
    return content


def refused_writes(setting: Setting) -> dict[str, str]:
    """What a person tries at a frozen side to what refused it; "" where it was let through."""
    return {
        "object": _object(setting),
        "run": _run(setting),
        "schedule": _state(setting, "ScheduledWorkflow", "hourly", "enabled", running=True),
        "queue": _state(setting, "ClusterQueue", "models", "stopPolicy", running="None"),
    }


def _object(setting: Setting) -> str:
    with closing(connect(setting.store.place(TEAM_BUCKET[setting.name], user=WRITER))) as store:
        try:
            store.put(PROBE, memoryview(b""), sha256=sha256(b"").hexdigest(), like=Head(size=0, etag=""))
        except StoreError as error:
            return error.code
        store.delete(PROBE)
    return ""


def _run(setting: Setting) -> str:
    """A run that somebody starts in MLflow; tried again where the server's sessions were ended under it."""
    address = f"{setting.tracking.url}/api/2.0/mlflow/runs/create"
    answer = ""
    for _ in range(TRIES):
        found = requests.post(address, json={"experiment_id": "0", "run_name": PROBE}, timeout=WAIT)
        if found.ok:
            return ""
        if READ_ONLY in found.text:
            return READ_ONLY
        answer = found.text[:200]
    return answer


def _state(setting: Setting, of: str, name: str, field: str, *, running: object) -> str:
    """How a queue or schedule is stopped; "" where it runs."""
    found = setting.api.ask("GET", f"{path_of(kind_of(of))}/{name}")
    if not found.ok:
        return "absent"
    value = found.json()["spec"].get(field)
    return "" if value == running else f"{field} {value}"


def still_naming_source(scene: Scene) -> list[str]:
    """Schedules and served models at the target whose addresses lead back to the source's bucket, or that are gone."""
    old, new = f"s3://{TEAM_BUCKET['source']}/", f"s3://{TEAM_BUCKET['target']}/"
    found: list[str] = []
    for of, name in (("ScheduledWorkflow", "hourly"), ("InferenceService", "served")):
        answer = scene.target.api.ask("GET", f"{path_of(kind_of(of))}/{name}")
        if not answer.ok or old in answer.text or new not in answer.text:
            found.append(f"{of} {name}")
    return found
