"""Deleting at the target what was deleted at the source: only what the ledger says this copy wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.agents.mover.worker_pool import Hands, Outcome

if TYPE_CHECKING:
    from components.agents.mover.transfer_plan import Key


def deleted(hands: Hands, key: Key, *, versions: bool) -> Outcome:
    """Delete a key's copy, or every version of it where versions are copied."""
    if versions:
        for each in key.target:  # the newest last, so that no older one comes back to a reader
            hands.target.delete(key.name, version=each.version)
    else:
        hands.target.delete(key.name)
    return Outcome(key=key.name, what="deleted")


def abandoned(hands: Hands, key: str) -> int:
    """Throw away the uploads of a key that a killed copy left; how many there were."""
    found = hands.target.uploads(key)
    for each in found:
        hands.target.abandon(key, each)
    return len(found)
