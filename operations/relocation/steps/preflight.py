"""Preflight: checks on both sides everything that would fail during the run, and that the target is built."""

from __future__ import annotations

import http.client
import ssl
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from operations.clouds.kubernetes.objects import ResourceKind
from operations.relocation.buckets import canary, pairs, preflight
from operations.relocation.config.rules import pair_databases
from operations.relocation.databases import postgres
from operations.relocation.databases.uri_rewrite import refusals, survey
from operations.relocation.runner.context import place_of
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from operations.relocation.steps import plan
from operations.relocation.steps.rewrite import DECLARE, SCHEMAS, list_moved_prefixes, rules_for
from planning.spec.lock import LOCK_NAME, Lock, read_lock
from planning.values.errors import AtollError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.agents.mover.scan import Connect
    from components.agents.mover.store.s3_client import S3Store
    from operations.relocation.buckets.pairs import BucketPair
    from operations.relocation.config.endpoints import DatabasePlace, Places, RelocationSide, StorePlace
    from operations.relocation.databases.postgres import DatabaseFacts
    from operations.relocation.databases.uri_rules import UriRules

    Secrets = Mapping[str, str]


SECONDS: Final = 10
LONGEST: Final = 100  # characters of a version
OK: Final = 200
NAMESPACES: Final = ResourceKind(group="", version="v1", plural="namespaces", name="Namespace", namespaced=False)


def cluster(side: RelocationSide, secrets: Secrets, *, words: str) -> int | None:
    """Number of namespaces, as proof that the cluster answers; None without a cluster.

    Raises:
        StepError: it does not answer, or refuses.
    """
    from operations.relocation.cluster.client import open_cluster  # noqa: PLC0415 - a cluster is asked only here

    found = open_cluster(side, secrets, words=words)
    return None if found is None else len(found.list_objects(NAMESPACES))


def mlflow_version(address: str, *, authority: str = "") -> str:
    """Version of an MLflow server.

    Raises:
        StepError: no answer, or not one of MLflow.
    """
    parts = urlsplit(address)
    path = f"{parts.path.rstrip('/')}/version"
    secure = ssl.create_default_context(cafile=authority or None) if parts.scheme == "https" else None
    try:
        asked = (
            http.client.HTTPSConnection(parts.netloc, timeout=SECONDS, context=secure)
            if secure
            else http.client.HTTPConnection(parts.netloc, timeout=SECONDS)
        )
    except http.client.InvalidURL as error:
        hint = "mlflow_url is http(s)://host:port, without a user"
        raise StepError(f"what names MLflow at {parts.hostname} is no address", hint=hint) from error
    try:
        asked.request("GET", path)
        answer = asked.getresponse()
        said = answer.read(LONGEST).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException) as error:
        raise StepError(f"MLflow at {address} does not answer: {type(error).__name__}") from error
    finally:
        asked.close()
    if answer.status != OK:
        raise StepError(f"MLflow at {address} answers {answer.status} when asked for its version")
    return said


def check_addresses(places: Places, secrets: Mapping[str, str]) -> list[str]:
    """Count of databases whose addresses the rewriting would accept.

    Raises:
        StepError: with every address that fits no rule or becomes too long, counted; or the rules are not sound.
    """
    rules = rules_for(places)
    known = [each for each in places.source.databases if each.part in SCHEMAS and each.engine == "postgresql"]
    # Looked for now, and only read: found in the write freeze, a missing rule would cost a roll back.
    faults = [f"{each.part}: {fault}" for each in known for fault in _find_refusals(each, secrets, rules, places)]
    if faults:
        raise StepError("; ".join(faults), hint=DECLARE, evidence={"faults": faults})
    return [each.part for each in known]


def _find_refusals(place: DatabasePlace, secrets: Mapping[str, str], rules: UriRules, places: Places) -> list[str]:
    with postgres.session(place, secrets) as connection:
        found = survey(connection, SCHEMAS[place.part], rules, moved=list_moved_prefixes(places), counting=False)
    return refusals(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideQueries:
    """Queries of both sides; tests replace them."""

    connect: Connect = pairs.connect
    database: Callable[[DatabasePlace, Secrets], DatabaseFacts | None] = postgres.facts
    cluster: Callable[..., int | None] = cluster
    mlflow_version: Callable[[str], str] = mlflow_version
    administrator_answers: Callable[[StorePlace, Secrets], bool] = preflight.administrator_answers
    addresses: Callable[[Places, Secrets], list[str]] = check_addresses
    room_left: Callable[[StorePlace, Secrets], int | None] = preflight.room_left


ASKING: Final = SideQueries()


# Parts whose database or objects the target reads as the source has written them (Pipelines: the metadata store is
# being taken out of it in 2026, so that its own versions do not read each other's, kubeflow/pipelines#14029).
EQUAL: Final = ("mlflow", "pipelines", "katib", "model_registry", "airflow")


def differences(source: Lock, target: Lock) -> Iterator[str]:
    """Differences of the two sides, in words."""
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
HINT: Final = "name an empty bucket or database, or move away what lies there"
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
    for pair in pairs.pair_buckets(move):
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
    """Whether the canary may write now: what the freeze refuses must be allowed before."""
    store = move.places.source.store
    if store.canary is None:
        return None
    place = place_of(store, store.canary, pair.bucket.source, move.secrets)
    with closing(asking.connect(place)) as found:
        # A store that a person closes may be closed already.
        allowed = canary.may_write(found) if store.kind in CLOSED_BY_US else canary.may_read(found)
    if not allowed:
        faults.append(f"the canary may not write into bucket {pair.bucket.source}, so its refusal would prove nothing")
    return "may write" if allowed else "may not write"


def _administrators(move: Move, asking: SideQueries, faults: list[str]) -> object:
    for name, side in (("source", move.places.source), ("target", move.places.target)):
        if not asking.administrator_answers(side.store, move.secrets):
            faults.append(f"the store of the {name} does not answer its administrator: look at the keys of `admin`")
    return None


def _room(move: Move, asking: SideQueries, faults: list[str]) -> object:
    left = asking.room_left(move.places.target.store, move.secrets)
    if left is None:
        return "unknown: the target does not report its free space"
    needed = 0
    for pair in pairs.pair_buckets(move):
        with pairs.translate_store_errors():
            needed += preflight.still_to_copy(pair, connected=asking.connect)
    if needed > left:
        faults.append(f"the target is too small: {needed // MIB} MiB are to be copied, {left // MIB} MiB are left")
    return {"to_copy_bytes": needed, "left_bytes": left}


def _database(
    move: Move, asking: SideQueries, source: DatabasePlace, target: DatabasePlace, faults: list[str]
) -> object:
    """Whether the target can restore what the source wrote."""
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
    """Addresses that the rewriting, which runs in the write freeze, would refuse."""
    return asking.addresses(move.places, move.secrets)


def _clusters(move: Move, asking: SideQueries, _faults: list[str]) -> object:
    sides = {"source": move.places.source, "target": move.places.target}
    found = {name: asking.cluster(side, move.secrets, words=name) for name, side in sides.items()}
    return {name: "none is named" if count is None else f"{count} namespaces" for name, count in found.items()}


def _mlflow(move: Move, asking: SideQueries, faults: list[str]) -> object:
    """Whether both MLflow are of one version."""
    if not move.places.source.mlflow_url:
        return None
    here = asking.mlflow_version(move.places.source.mlflow_url)
    there = asking.mlflow_version(move.places.target.mlflow_url)
    # Each reads the other's database, and a migration of tables has no way back.
    if here != there:
        faults.append(f"MLflow is {here} at the source and {there} at the target: install the same")
    return {"source": here, "target": there}


def _locks(move: Move, faults: list[str]) -> object:
    """Whether both stacks install the same versions, if both are stacks of this project."""
    folder = move.folder.parent.parent / "stacks"
    paths = [folder / name / LOCK_NAME for name in (move.places.source.stack, move.places.target.stack)]
    if not all(path.is_file() for path in paths):
        return "unknown: not both stacks have a lock here"
    found = list(differences(*(read_lock(path, stack=path.parent.name) for path in paths)))
    faults += found
    return "equal" if not found else "not equal"


def _list_unconfirmed(move: Move, _faults: list[str]) -> object:
    """Unconfirmed manual tasks, which are due before the databases."""
    stands = plan.read_manual_work(move.places, folder=move.folder, now=move.now())
    if stands.plan is None:
        return plan.NO_PLAN
    missing = [each.key for each in stands.missing]
    if missing:
        move.say(f"left to you, and to be confirmed in {stands.path.name} before the databases: {', '.join(missing)}")
    return missing


def provision(move: Move, *, asking: SideQueries = ASKING) -> Evidence:
    """Check that the target is built: missing buckets are created, databases must be free.

    Raises:
        StepError: something of the target is missing and cannot be made, or holds what is not ours.
    """
    faults: list[str] = []
    buckets: Evidence = {}
    for pair in pairs.pair_buckets(move):
        with pairs.translate_store_errors(), closing(asking.connect(pair.target)) as target:
            made = not target.exists()
            if made:
                move.say(f"making bucket {pair.target.bucket} at the target")
                target.create()
            versions = _keep_versions(pair, target, asking)
            count, first = pairs.find_foreign_objects(pair, connected=asking.connect)
        buckets[pair.target.bucket] = {"made": made, "versions": versions, "foreign": count}
        if count:
            faults.append(
                f"bucket {pair.target.bucket} holds {count} objects that are not ours: {pairs.format_keys(first)}"
            )
    databases = _find_used_databases(move, asking, faults)
    if faults:
        raise StepError("; ".join(faults), hint=HINT, evidence={"buckets": buckets, "databases": databases})
    return {"buckets": buckets, "databases": databases}


def _keep_versions(pair: BucketPair, target: S3Store, asking: SideQueries) -> bool:
    """Whether the target's bucket keeps versions, turned on if the source's does."""
    if target.is_versioned():
        return True
    with closing(asking.connect(pair.source)) as source:
        if not source.is_versioned() and not pair.bucket.versions:
            return False
    target.keep_versions()
    return True


def _find_used_databases(move: Move, asking: SideQueries, faults: list[str]) -> Evidence:
    """Databases of the target; each must be free or marked by this relocation."""
    ours = f"atoll relocation {move.places.source.stack}--{move.places.target.stack}"
    found: Evidence = {}
    for number, place in enumerate(move.places.target.databases, start=1):
        name = f"{number}, {place.part}"
        told = asking.database(place, move.secrets)
        if told is None:
            found[name] = f"unknown: {place.engine} is looked at when it is restored"
            continue
        found[name] = {"tables": told.tables, "used": list(told.used), "ours": told.mark == ours}
        if told.used and told.mark != ours:
            faults.append(f"the target's database of {place.part} is in use: rows in {', '.join(told.used)}")
    return found


STEP: Final = RelocationStep(name="preflight", do=do)
PROVISION: Final = RelocationStep(name="provision", do=provision)
