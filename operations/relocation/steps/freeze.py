"""Stops every writer of the source that is found, closes the target, and proves by canaries that nothing is written.

It proves what it can see. A person who writes with keys of their own into a store that is closed by hand is told apart
only by the canary; files on volumes by pods that still run.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from operations.relocation.runner.step import RelocationStep, StepError
from operations.relocation.writers import databases, stores, suspension
from operations.relocation.writers.stores import SOURCE, TARGET, side_of

if TYPE_CHECKING:
    from operations.relocation.runner.step import Evidence, Move
    from operations.relocation.writers.ports import Done, QuiescePorts

NO_CLUSTER: Final = "no kubeconfig is named: nobody looks for writers in the cluster"


def freeze(move: Move, hands: QuiescePorts) -> Evidence:
    move.say("asking whether the canaries can write, which they must not in a moment")
    stores.see_that_canaries_write(move, hands)
    databases.see_that_databases_write(move, hands)
    move.say("closing the target to everybody but the mover")
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
    """Give everything back what it was: store and databases first, so that writers find them open."""
    sides: Evidence = {}
    for side in (SOURCE, TARGET):
        move.say(f"opening the {side} again")
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
    move.say(f"{side}: {len(stopped)} writers stand still")
    return [each.form() for each in stopped]


def _restore(move: Move, hands: QuiescePorts, *, side: str) -> list[str] | str:
    cluster = hands.cluster(side_of(move, side), move.secrets, side)
    return NO_CLUSTER if cluster is None else suspension.restore(cluster, move, side=side)


def _writes_again(move: Move, hands: QuiescePorts) -> Done:
    """What canaries find after; one that cannot be asked keeps nobody from the way back."""
    found: Done = {}
    with suppress(StepError):
        found["store"] = stores.write_again(move, hands, side=SOURCE)
    with suppress(StepError):
        found["databases"] = databases.write_again(move, hands, side=SOURCE)
    return found


def _do(move: Move) -> Evidence:
    from operations.relocation.writers.ports import HANDS  # noqa: PLC0415 - SDKs are imported once writers are stopped

    return freeze(move, HANDS)


def _undo(move: Move) -> Evidence:
    from operations.relocation.writers.ports import HANDS  # noqa: PLC0415 - as above

    return thaw(move, HANDS)


STEP: Final = RelocationStep(name="freeze", do=_do, undo=_undo)
