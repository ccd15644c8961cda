"""Asks both sides everything that would otherwise fail in the middle; every bad answer is told at once."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Final

from operations.relocation.buckets import canary, pairs, preflight
from operations.relocation.config.rules import pair_databases
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from operations.relocation.steps import manual_work
from operations.relocation.steps.endpoint_queries import ASKING, SideQueries
from planning.spec.lock import LOCK_NAME, read_lock
from planning.values.errors import AtollError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from operations.relocation.buckets.pairs import BucketPair
    from operations.relocation.config.endpoints import DatabasePlace
    from planning.spec.lock import Lock


# Parts whose database or objects the target reads as the source has written them (Pipelines: the metadata store is
# being taken out of it in 2026, so that its own versions do not read each other's, kubeflow/pipelines#14029).
EQUAL: Final = ("mlflow", "pipelines", "katib", "model_registry", "airflow")


def differences(source: Lock, target: Lock) -> Iterator[str]:
    """What is not the same on both sides, in words."""
    for name in EQUAL:
        here, there = _version(source, name), _version(target, name)
        if here and not there:
            yield f"{name} {here} runs at {source.stack} and is not installed at {target.stack}"
        elif here and here != there:
            yield f"{name} is {here} at {source.stack} and {there} at {target.stack}"


def _version(lock: Lock, name: str) -> str:
    platform = lock.spec.platform
    part = platform.part(name) if platform else None
    return part.version if part else ""


MIB: Final = 2**20
CLOSED_BY_US: Final = frozenset({"aws", "minio"})  # kinds of stores whose writers the freeze stops itself


def do(move: Move, *, asking: SideQueries = ASKING) -> Evidence:
    """Ask.

    Raises:
        StepError: with every question that had no good answer.
    """
    faults: list[str] = []
    evidence: Evidence = {}
    for name, question in _questions(move, asking):
        move.say(f"asking: {name}")
        try:
            found = question(faults)
        except AtollError as error:
            faults.append(in_one_line(error))
            continue
        if found is not None:
            evidence[name] = found
    if faults:
        raise StepError("; ".join(faults), evidence={"faults": faults, **evidence})
    return evidence


def _questions(move: Move, asking: SideQueries) -> Iterator[tuple[str, Callable[[list[str]], object]]]:
    for pair in pairs.pair_buckets(move.places, folder=move.folder, secrets=move.secrets):
        ask = partial(preflight.probe_stores, pair, now=move.now, connected=asking.connect)
        yield f"bucket {pair.bucket.source}", ask
        yield f"canary of {pair.bucket.source}", partial(_canary, move, asking, pair)
    yield "administrators", partial(_administrators, move, asking)
    yield "room at the target", partial(_room, move, asking)
    for number, (source, target) in enumerate(pair_databases(move.places), start=1):
        yield f"database {number}, {source.part}", partial(_database, move, asking, source, target)
    yield "addresses in databases", partial(_addresses, move, asking)
    yield "clusters", partial(_clusters, move, asking)
    yield "MLflow", partial(_mlflow, move, asking)
    yield "versions in the locks", partial(_locks, move)
    yield "left to you", partial(_list_unconfirmed, move)


def _canary(move: Move, asking: SideQueries, pair: BucketPair, faults: list[str]) -> object:
    """Whether the canary may write now: what is refused in the freeze must be allowed before."""
    store = move.places.source.store
    if store.canary is None:
        return None
    place = canary.place_of(store, store.canary, pair.bucket.source, move.secrets)
    with closing(asking.connect(place)) as found:
        allowed = canary.may_write(found) if store.kind in CLOSED_BY_US else canary.may_read(found)
    if not allowed:
        faults.append(f"the canary may not write into bucket {pair.bucket.source}, so its refusal would prove nothing")
    return "may write" if allowed else "may not write"


def _administrators(move: Move, asking: SideQueries, faults: list[str]) -> object:
    """Whether who stops MinIO's users may."""
    for name, side in (("source", move.places.source), ("target", move.places.target)):
        if not asking.administrator_answers(side.store, move.secrets):
            faults.append(f"the store of the {name} does not answer its administrator: look at the keys of `admin`")
    return None


def _room(move: Move, asking: SideQueries, faults: list[str]) -> object:
    """Whether what is to be copied fits in."""
    left = asking.room_left(move.places.target.store, move.secrets)
    if left is None:
        return "unknown: nobody says how much room the target has"
    needed = 0
    for pair in pairs.pair_buckets(move.places, folder=move.folder, secrets=move.secrets):
        with pairs.translate_store_errors():
            needed += preflight.still_to_copy(pair, connected=asking.connect)
    if needed > left:
        faults.append(f"the target is too small: {needed // MIB} MiB are to be copied, {left // MIB} MiB are left")
    return {"to_copy_bytes": needed, "left_bytes": left}


def _database(
    move: Move, asking: SideQueries, source: DatabasePlace, target: DatabasePlace, faults: list[str]
) -> object:
    """Whether the target can read what the source has written."""
    here, there = asking.database(source, move.secrets), asking.database(target, move.secrets)
    if here is None or there is None:
        return f"unknown: {source.engine} is not asked beforehand"
    if there.major < here.major:
        faults.append(f"the database of {source.part} is PostgreSQL {here.major}, the target's is {there.major}: older")
    if here.schema and there.schema and here.schema != there.schema:
        faults.append(f"the schema of {source.part} is {here.schema} at the source and {there.schema} at the target")
    if here.name == there.name:
        faults.append(f"both databases of {source.part} are {here.name}")
    return {"source": [here.major, here.schema, here.size], "target": [there.major, there.schema, there.size]}


def _addresses(move: Move, asking: SideQueries, _faults: list[str]) -> object:
    """Whether the rewriting, which comes when writers stand still, would refuse an address that is there now."""
    return asking.addresses(move.places, move.secrets)


def _clusters(move: Move, asking: SideQueries, _faults: list[str]) -> object:
    sides = {"source": move.places.source, "target": move.places.target}
    found = {name: asking.cluster(side, move.secrets, words=name) for name, side in sides.items()}
    return {name: "none is named" if count is None else f"{count} namespaces" for name, count in found.items()}


def _mlflow(move: Move, asking: SideQueries, faults: list[str]) -> object:
    """Whether both MLflow are the same: each reads the other's database."""
    if not move.places.source.mlflow_url:
        return None
    here = asking.mlflow_version(move.places.source.mlflow_url)
    there = asking.mlflow_version(move.places.target.mlflow_url)
    if here != there:
        faults.append(f"MLflow is {here} at the source and {there} at the target: install the same")
    return {"source": here, "target": there}


def _locks(move: Move, faults: list[str]) -> object:
    """Whether both stacks install the same, where both are stacks of this project."""
    folder = move.folder.parent.parent / "stacks"
    paths = [folder / name / LOCK_NAME for name in (move.places.source.stack, move.places.target.stack)]
    if not all(path.is_file() for path in paths):
        return "unknown: not both stacks have a lock here"
    found = list(differences(*(read_lock(path, stack=path.parent.name) for path in paths)))
    faults += found
    return "equal" if not found else "not equal"


def _list_unconfirmed(move: Move, _faults: list[str]) -> object:
    """What people have not confirmed yet: there is time for it until the databases."""
    stands = manual_work.read_manual_work(move.places, folder=move.folder, now=move.now())
    if stands.plan is None:
        return manual_work.NO_PLAN
    missing = [each.key for each in stands.missing]
    if missing:
        move.say(f"left to you, and to be confirmed in {stands.path.name} before the databases: {', '.join(missing)}")
    return missing


STEP: Final = RelocationStep(name="preflight", do=do)
