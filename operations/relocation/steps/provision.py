"""Finds the target built: its buckets, which are made where they are missing, and its databases, which must be free."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final

from operations.relocation.buckets import pairs
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from operations.relocation.steps.preflight import ASKING, SideQueries

if TYPE_CHECKING:
    from components.agents.mover.store.s3_client import S3Store
    from operations.relocation.buckets.pairs import BucketPair

HINT: Final = "name an empty bucket or database, or move away what lies there"


def do(move: Move, *, asking: SideQueries = ASKING) -> Evidence:
    """Find what is there, make buckets that are not.

    Raises:
        StepError: something of the target is missing and cannot be made, or holds what is not ours.
    """
    faults: list[str] = []
    buckets: Evidence = {}
    for pair in pairs.pair_buckets(move.places, folder=move.folder, secrets=move.secrets):
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
    databases = _databases(move, asking, faults)
    if faults:
        raise StepError("; ".join(faults), hint=HINT, evidence={"buckets": buckets, "databases": databases})
    return {"buckets": buckets, "databases": databases}


def _keep_versions(pair: BucketPair, target: S3Store, asking: SideQueries) -> bool:
    """Whether the target's bucket keeps versions, which it does at the end where the source's does."""
    if target.versioned():
        return True
    with closing(asking.connect(pair.source)) as source:
        if not source.versioned() and not pair.bucket.versions:
            return False
    target.keep_versions()
    return True


def _databases(move: Move, asking: SideQueries, faults: list[str]) -> Evidence:
    """Databases of the target, each free or marked by an earlier attempt of this relocation."""
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


STEP: Final = RelocationStep(name="provision", do=do)
