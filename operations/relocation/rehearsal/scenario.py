"""The rehearsal: fill, go there and back, go again with a kill in every step, and look whether everything arrived."""

from __future__ import annotations

import json
import random
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

import requests

from components.agents.mover.store.model import Head, StoreError
from components.agents.mover.store.s3_client import S3Body, connect
from operations.relocation.rehearsal.cluster import kind as kind_of
from operations.relocation.rehearsal.cluster import path_of
from operations.relocation.rehearsal.command import Runner
from operations.relocation.rehearsal.environment import (
    TEAM_BUCKET,
    TRACKING_BUCKET,
    WRITER,
    RehearsalEnvironment,
    RehearsedSide,
    start_environment,
)
from operations.relocation.rehearsal.servers import ROOT
from operations.relocation.rehearsal.test_data import Filled, count_readable_artifacts, fill
from planning.relocation.steps import NAMES
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from operations.relocation.rehearsal.report import KillForm, RehearsalForm, StageForm


FLIPPED: Final = "/weights.txt"
PROBE: Final = "written-by-an-engineer"
WAIT: Final = 30.0
TRIES: Final = 5
READ_ONLY: Final = "read-only transaction"  # PostgreSQL's words


def flip_one_bit(scene: RehearsalEnvironment) -> str:
    """Change one bit of one artifact at the target; its key."""
    with closing(connect(scene.target.store.place(TRACKING_BUCKET, user=ROOT))) as store:
        key = next(each.key for each in store.list_objects() if each.key.endswith(FLIPPED))
        body = store.open(key)
        content = _read(body)
        # Size, headers and tags stay as they were: only a comparison of the bytes can find it.
        content[len(content) // 2] ^= 1
        digest = sha256(content).hexdigest()
        store.put(key, memoryview(content), sha256=digest, like=body.head, tags=store.get_tags(key))
    return key


def _read(body: S3Body) -> bytearray:
    content = bytearray(body.head.size)
    view, at = memoryview(content), 0
    while read := body.read_into(view[at:]):
        at += read
    body.close()
    return content


def try_writes(setting: RehearsedSide) -> dict[str, str]:
    """Writes that a user tries at a side, to what refused each; "" where it succeeded."""
    return {
        "object": _object(setting),
        "run": _run(setting),
        "schedule": _state(setting, "ScheduledWorkflow", "hourly", "enabled", running=True),
        "queue": _state(setting, "ClusterQueue", "models", "stopPolicy", running="None"),
    }


def _object(setting: RehearsedSide) -> str:
    with closing(connect(setting.store.place(TEAM_BUCKET[setting.name], user=WRITER))) as store:
        try:
            store.put(PROBE, memoryview(b""), sha256=sha256(b"").hexdigest(), like=Head(size=0, etag=""))
        except StoreError as error:
            return error.code
        store.delete(PROBE)
    return ""


def _run(setting: RehearsedSide) -> str:
    """Create a run in MLflow."""
    address = f"{setting.tracking.url}/api/2.0/mlflow/runs/create"
    answer = ""
    # The freeze ends the server's own sessions, and its first request afterwards may meet a broken one.
    for _ in range(TRIES):
        found = requests.post(address, json={"experiment_id": "0", "run_name": PROBE}, timeout=WAIT)
        if found.ok:
            return ""
        if READ_ONLY in found.text:
            return READ_ONLY
        answer = found.text[:200]
    return answer


def _state(setting: RehearsedSide, of: str, name: str, field: str, *, running: object) -> str:
    """How a queue or schedule is stopped; "" if it runs."""
    found = setting.api.ask("GET", f"{path_of(kind_of(of))}/{name}")
    if not found.ok:
        return "absent"
    value = found.json()["spec"].get(field)
    return "" if value == running else f"{field} {value}"


def still_naming_source(scene: RehearsalEnvironment) -> list[str]:
    """Schedules and served models at the target that are missing or still name the source's bucket."""
    old, new = f"s3://{TEAM_BUCKET['source']}/", f"s3://{TEAM_BUCKET['target']}/"
    found: list[str] = []
    for of, name in (("ScheduledWorkflow", "hourly"), ("InferenceService", "served")):
        answer = scene.target.api.ask("GET", f"{path_of(kind_of(of))}/{name}")
        if not answer.ok or old in answer.text or new not in answer.text:
            found.append(f"{of} {name}")
    return found


SCHEMA_VERSION: Final = 1
SEED: Final = 7
LONGEST_WAIT: Final = 0.4  # seconds into a step at which it is killed, at most
PROOF: Final = "verify"


class RehearsalError(AtollError):
    """A write, a damage or a loss was not handled as it must be."""


@dataclass(slots=True, kw_only=True)
class Rehearsal:
    """A running rehearsal and its findings."""

    scene: RehearsalEnvironment
    say: Callable[[str], None]
    stages: list[StageForm] = field(default_factory=list["StageForm"])
    kills: list[KillForm] = field(default_factory=list["KillForm"])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    flipped: str = ""

    @property
    def runner(self) -> Runner:
        return Runner(self.scene)

    @contextmanager
    def stage(self, name: str) -> Generator[list[str]]:
        """Time a stage; the list collects its findings."""
        self.say(name)
        started, found = time.monotonic(), list[str]()
        yield found
        self.stages.append({"name": name, "seconds": round(time.monotonic() - started, 1), "found": "; ".join(found)})


def rehearse(folder: Path, *, objects: int, say: Callable[[str], None]) -> RehearsalForm:
    """Rehearse a whole relocation in a new folder.

    Raises:
        RehearsalError: a write succeeded that must fail, or something was not found or lost; the folder stays.
    """
    folder.mkdir(parents=True)
    with start_environment(folder, say=say) as both:
        rehearsal = Rehearsal(scene=both, say=say)
        rehearsal.runner.prepare()
        with rehearsal.stage("fill the source") as found:
            filled = fill(both, objects=objects, say=say)
            found.append(f"{filled.objects:,} objects, {len(filled.runs)} runs with two models, {filled.traces} traces")
        there_and_back(rehearsal)
        through_every_kill(rehearsal)
        return check_arrival(rehearsal, filled)


def there_and_back(rehearsal: Rehearsal) -> None:
    """Run to the last step before the point of no return and roll back: the source must take writes again."""
    runner, source = rehearsal.runner, rehearsal.scene.source
    with rehearsal.stage("run to the last step before the point of no return") as found:
        runner.run_soundly("run", "--until", "observe")
        rehearsal.refused = try_writes(source)
        _all(rehearsal.refused, "succeeded during the write freeze")
        found += [f"{what}: refused ({how})" for what, how in rehearsal.refused.items()]
    with rehearsal.stage("roll back, killed once on the way") as found:
        _kill(rehearsal, "freeze", name="rollback")
        runner.run_soundly("rollback")
        running = try_writes(source)
        _none(running, "is still stopped after the roll back")
        if (line := _address(rehearsal.scene)) != "source":
            raise RehearsalError(f"after the roll back, the names point to the {line}")
        found.append("writers of the source run as before, names point to the source")


def through_every_kill(rehearsal: Rehearsal) -> None:
    """Run again with one kill in every step, and with one bit changed at the target."""
    runner = rehearsal.runner
    with rehearsal.stage("go again, every step killed once") as found:
        for step in NAMES[: NAMES.index(PROOF)]:
            _kill_and_resume(rehearsal, step)
        found.append(f"{len(rehearsal.kills)} kills")
    with rehearsal.stage("change one bit at the target") as found:
        rehearsal.flipped = flip_one_bit(rehearsal.scene)
        ended = runner.run("run", "--until", PROOF)
        if ended.code == 0 or rehearsal.flipped not in ended.said:
            raise RehearsalError(f"a changed bit of {rehearsal.flipped} was not found: {ended.said[-2000:]}")
        found.append(f"{rehearsal.flipped} named as different, nothing after it ran")
    with rehearsal.stage("mend it and go on, every step killed once"):
        for step in NAMES[NAMES.index(PROOF) :]:
            _kill_and_resume(rehearsal, step)
    stands = runner.read_state()
    if not stands.committed:
        raise RehearsalError("every step ran, and the journal does not say committed")


def check_arrival(rehearsal: Rehearsal, filled: Filled) -> RehearsalForm:
    """Check the end state from the target.

    Raises:
        RehearsalError: something did not arrive, or the new side is not open, or the old one is.
    """
    both = rehearsal.scene
    with rehearsal.stage("look from the new side") as found:
        opened = count_readable_artifacts(both, filled)
        _none(try_writes(both.target), "is refused at the target")
        _all(try_writes(both.source), "succeeded at the source after the commit")
        if led_back := still_naming_source(both):
            raise RehearsalError(f"at the target, {', '.join(led_back)} does not name the target's bucket")
        if (side := _address(both)) != "target":
            raise RehearsalError(f"after the commit, the names point to the {side}")
        proof = _proof(rehearsal.runner)
        found += [f"{opened} artifacts opened", *proof]
    return {
        "schema_version": SCHEMA_VERSION,
        "objects": filled.objects,
        "stages": rehearsal.stages,
        "kills": rehearsal.kills,
        "refused": rehearsal.refused,
        "flipped": rehearsal.flipped,
        "proof": proof,
        "opened": opened,
    }


def _kill_and_resume(rehearsal: Rehearsal, step: str) -> None:
    _kill(rehearsal, step)
    rehearsal.runner.run_soundly("run", "--until", step, "--yes")


def _kill(rehearsal: Rehearsal, step: str, *, name: str = "run") -> None:
    """Kill a command some moments into a step."""
    chance = random.Random(f"{SEED} {name} {step}")  # noqa: S311 - the same moments every time, nothing secret
    arguments = ("--until", step, "--yes") if name == "run" else ()
    after = chance.uniform(0, LONGEST_WAIT)
    inside = rehearsal.runner.kill_in(step, after=after, name=name, arguments=arguments)
    rehearsal.kills.append({"step": step if name == "run" else f"{name} of {step}", "inside": inside})
    rehearsal.say(f"killed in {step}{'' if inside else ', which had just ended'}")


def _address(both: RehearsalEnvironment) -> str:
    from operations.relocation.rehearsal.environment import ADDRESSES  # noqa: PLC0415 - beside its only use

    text = both.hosts.read_text(encoding="utf-8")
    return next((side for side, address in ADDRESSES.items() if address in text), "nowhere")


def _proof(runner: Runner) -> list[str]:
    found: list[str] = []
    for path in sorted((runner.folder / "reports").glob("verify-*.json")):
        report = cast("dict[str, object]", json.loads(path.read_text(encoding="utf-8")))
        found.append(f"{path.stem.removeprefix('verify-')}: {report['sentence']}")
    return found


def _all(tried: dict[str, str], words: str) -> None:
    """Check that every write was refused.

    Raises:
        RehearsalError: one was not.
    """
    through = [what for what, how in tried.items() if not how]
    if through:
        raise RehearsalError(f"{', '.join(through)} {words}")


def _none(tried: dict[str, str], words: str) -> None:
    """Check that no write was refused.

    Raises:
        RehearsalError: one was.
    """
    stopped = [f"{what} ({how})" for what, how in tried.items() if how]
    if stopped:
        raise RehearsalError(f"{', '.join(stopped)} {words}")
