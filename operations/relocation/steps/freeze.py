"""Stops every writer of the source that is found, closes the target, and proves by canaries that nothing is written.

It proves what it can see. A person who writes with keys of their own into a store that is closed by hand is told apart
only by the canary; files on volumes by pods that still run.

Names are switched to a target that stays closed: whoever comes there reads, and writes nothing. Before they change, the
target's databases, which are restored and rewritten by then, become read-only. The commit opens it.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from operations.relocation.cluster.client import open_clusters
from operations.relocation.jobs.copies import remove_stale_jobs
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from operations.relocation.steps.databases import unmark_databases
from operations.relocation.writers import databases, stores, suspension
from operations.relocation.writers.stores import SOURCE, TARGET, side_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from operations.relocation.dns.names import NameSwitcher
    from operations.relocation.writers.ports import Done, QuiescePorts

NO_CLUSTER: Final = "no kubeconfig is named: writers in the cluster are not looked for"
AT: Final = "commit/at"  # under which the first moment of the commit is remembered
AGAIN: Final = "nothing is lost: mend it at the target and run again, the source stays frozen"


def freeze(move: Move, hands: QuiescePorts) -> Evidence:
    move.say("asking whether the canaries can write, which they must not in a moment")
    stores.see_that_canaries_write(move, hands)
    databases.see_that_databases_write(move, hands)
    move.say("closing the target to every user but the copy worker")
    target: Done = {"writers": _stop(move, hands, side=TARGET), "store": stores.close(move, hands, side=TARGET)}
    move.say("stopping the writers of the source")
    source: Done = {
        "writers": _stop(move, hands, side=SOURCE),
        "databases": databases.close(move, hands, side=SOURCE),
        "store": stores.close(move, hands, side=SOURCE),
    }
    move.say("trying to write")
    proof: Done = {
        "store": stores.prove_closed(move, hands),
        "databases": databases.prove_closed(move, hands, side=SOURCE),
    }
    return {"frozen_at": move.now().isoformat(), "source": source, "target": target, "canary": proof}


def thaw(move: Move, hands: QuiescePorts) -> Evidence:
    """Restore everything."""
    sides: Evidence = {}
    for side in (SOURCE, TARGET):
        move.say(f"opening the {side} again")
        # Writers last: they must find store and databases open, or they fail at once.
        sides[side] = {
            "store": stores.open_again(move, hands, side=side),
            "databases": databases.open_again(move, hands, side=side),
            "writers": _restore(move, hands, side=side),
        }
    return {**sides, "writes_again": _writes_again(move, hands)}


def _stop(move: Move, hands: QuiescePorts, *, side: str) -> list[Done] | str:
    cluster = hands.cluster(side_of(move, side), move.secrets, side)
    if cluster is None:
        move.say(f"{side}: {NO_CLUSTER}")
        return NO_CLUSTER
    stopped = suspension.stop(cluster, move, side=side, patience=hands.patience)
    move.say(f"{side}: {len(stopped)} writers stopped")
    return [each.form() for each in stopped]


def _restore(move: Move, hands: QuiescePorts, *, side: str) -> list[str] | str:
    cluster = hands.cluster(side_of(move, side), move.secrets, side)
    return NO_CLUSTER if cluster is None else suspension.restore(cluster, move, side=side)


def _writes_again(move: Move, hands: QuiescePorts) -> Done:
    """Results of the canaries after the freeze."""
    found: Done = {}
    # A canary that fails must not stop the rollback: it is reported, and people look.
    with suppress(StepError):
        found["store"] = stores.write_again(move, hands, side=SOURCE)
    with suppress(StepError):
        found["databases"] = databases.write_again(move, hands, side=SOURCE)
    return found


def switch_names(move: Move, hands: QuiescePorts, switchers: Mapping[str, NameSwitcher]) -> Evidence:
    move.say("making the target's databases read-only until the commit")
    closed = databases.close(move, hands, side=TARGET)
    proof = databases.prove_closed(move, hands, side=TARGET)
    # Names first: until they point back, a client would write to the target.
    names = move.places.names
    done: Evidence = {"databases": closed, "canary": proof, "names": "none are switched"}
    if names is None or not names.names:
        return done
    move.say(f"switching {len(names.names)} names to {names.target}")
    return {**done, "names": {"kind": names.kind, **switchers[names.kind].switch(names, move)}}


def put_names_back(move: Move, hands: QuiescePorts, switchers: Mapping[str, NameSwitcher]) -> Evidence:
    """Point the names to the source, then open the target again."""
    names = move.places.names
    back: Evidence = {}
    if names is not None and names.names:
        move.say(f"putting {len(names.names)} names back")
        back = switchers[names.kind].put_back(names, move)
    return {"names": back, "databases": databases.open_again(move, hands, side=TARGET)}


def name_switchers() -> Mapping[str, NameSwitcher]:
    from operations.relocation.dns.names import HostsFile, ManualSwitcher  # noqa: PLC0415 - SDKs are imported once names are switched
    from operations.relocation.dns.route53 import Route53  # noqa: PLC0415 - as above

    return {"hosts_file": HostsFile(), "route53": Route53(), "by_hand": ManualSwitcher()}


def commit(move: Move, hands: QuiescePorts) -> Evidence:
    """Pass the point of no return: open the target, prove that it takes writes, and set the retention of the source."""
    # Remembered: the days for which the source is kept begin once, however often the step is run.
    at = datetime.fromisoformat(str(move.memory.remember(AT, move.now().isoformat())))
    until = at + timedelta(days=move.places.retain_days)
    move.say("opening the target: from here on the source no longer holds everything")
    opened: Done = {
        "databases": databases.open_again(move, hands, side=TARGET),
        "store": stores.open_again(move, hands, side=TARGET),
        "writers": _open_writers(move, hands),
    }
    proof = _prove_open(move, hands)
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
    """Start the model servers, which were created stopped."""
    from operations.relocation.cluster.recreation import start_all  # noqa: PLC0415 - as above

    source, target = open_clusters(move)
    return start_all(move.memory, source=source, target=target) if source and target else []


def _prove_open(move: Move, hands: QuiescePorts) -> Done:
    """Write into the target's buckets, if it has a canary, and databases.

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


def _live(action: Callable[[Move, QuiescePorts], Evidence]) -> Callable[[Move], Evidence]:
    """A step with the real ports; SDKs are imported once writers are stopped."""

    def run(move: Move) -> Evidence:
        from operations.relocation.writers.ports import HANDS  # noqa: PLC0415 - see above

        return action(move, HANDS)

    return run


def _commit(move: Move, hands: QuiescePorts) -> Evidence:
    evidence = commit(move, hands)
    started = _start_servers(move)
    unmark_databases(move)
    return {**evidence, "servers": started, **remove_stale_jobs(move, ledgers=True)}


FREEZE: Final = RelocationStep(name="freeze", do=_live(freeze), undo=_live(thaw))
DNS: Final = RelocationStep(
    name="dns",
    do=_live(lambda move, hands: switch_names(move, hands, name_switchers())),
    undo=_live(lambda move, hands: put_names_back(move, hands, name_switchers())),
)
COMMIT: Final = RelocationStep(name="commit", do=_live(_commit))
