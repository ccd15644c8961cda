"""The point of no return: the target's writers run. The source stays frozen, and is kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from operations.relocation.cluster.client import open_cluster
from operations.relocation.jobs import copies
from operations.relocation.runner.step import RelocationStep, StepError
from operations.relocation.steps.databases import unmark_databases
from operations.relocation.writers import databases, stores, suspension
from operations.relocation.writers.stores import TARGET

if TYPE_CHECKING:
    from operations.relocation.runner.step import Evidence, Move
    from operations.relocation.writers.ports import Done, QuiescePorts

AT: Final = "commit/at"  # under which the first moment of the commit is remembered
AGAIN: Final = "nothing is lost: mend it at the target and run again, the source stays frozen"


def commit(move: Move, hands: QuiescePorts) -> Evidence:
    """Open the target, prove that it takes writes, and say until when the source is kept."""
    at = datetime.fromisoformat(str(move.memory.remember(AT, move.now().isoformat())))
    until = at + timedelta(days=move.places.retain_days)
    move.say("opening the target: from here on the source no longer holds everything")
    opened: Done = {
        "databases": databases.open_again(move, hands, side=TARGET),
        "store": stores.open_again(move, hands, side=TARGET),
        "writers": _open_writers(move, hands),
    }
    proof = _prove(move, hands)
    move.say(f"the source is kept frozen until {until:%Y-%m-%d}; then: atoll relocate retire")
    return {
        "opened": opened,
        "canary": proof,
        "committed_at": at.isoformat(),
        "retain_days": move.places.retain_days,
        "retain_until": until.isoformat(),
        "source": "frozen and kept",
    }


def _open_writers(move: Move, hands: QuiescePorts) -> Done:
    cluster = hands.cluster(move.places.target, move.secrets, TARGET)
    if cluster is None:
        return {"cluster": "no kubeconfig is named: open the target's writers by hand"}
    opened = suspension.open_writers(cluster, move)
    return {"opened": opened, "ready": suspension.wait_ready(cluster, move, patience=hands.patience)}


def _start_servers(move: Move) -> list[str]:
    """Model servers, which were made at the target stopped, run; where both clusters can be asked."""
    from operations.relocation.cluster import kubeflow  # noqa: PLC0415 - SDKs are imported once writers are opened

    source, target = (
        open_cluster(side, move.secrets, words=words)
        for side, words in ((move.places.source, "source"), (move.places.target, "target"))
    )
    return kubeflow.start_all(move.memory, source=source, target=target) if source and target else []


def _prove(move: Move, hands: QuiescePorts) -> Done:
    """Writes into the target's buckets, where it has a canary, and databases.

    Raises:
        StepError: one is refused.
    """
    buckets = stores.write_again(move, hands, side=TARGET)
    written = databases.write_again(move, hands, side=TARGET)
    shut = [each for each, allowed in buckets.items() if not allowed]
    shut += [f"the database of {part}" for part, answer in written.items() if answer != databases.WRITTEN]
    if shut:
        raise StepError(f"the target still refuses writes: {', '.join(shut)}", hint=AGAIN, evidence={"shut": shut})
    return {"store": buckets, "databases": written}


def _do(move: Move) -> Evidence:
    from operations.relocation.writers.ports import HANDS  # noqa: PLC0415 - SDKs are imported once writers are opened

    evidence = commit(move, HANDS)
    started = _start_servers(move)
    unmark_databases(move)
    return {**evidence, "servers": started, **copies.remove_stale_jobs(move, ledgers=True)}


STEP: Final = RelocationStep(name="commit", do=_do)
