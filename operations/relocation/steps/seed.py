"""The first copy: long, while the source is at work; a later attempt copies only what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from operations.relocation.copies import rounds
from operations.relocation.jobs import copies as cluster_opening
from operations.relocation.runner.step import Evidence, Move, RelocationStep

if TYPE_CHECKING:
    from operations.relocation.copies.rounds import Copy


def do(move: Move, *, movers: dict[str, Copy] = rounds.MOVERS) -> Evidence:
    """Copy every bucket once.

    Raises:
        StepError: something cannot be copied; what was copied stays, and is not copied again.
    """
    return rounds.run_copy_round(move, movers=movers).evidence()


def undo(move: Move) -> Evidence:
    """Leave no mover, and no keys of one, in a cluster; copies and ledgers stay for the next attempt."""
    return cluster_opening.remove_stale_jobs(move)


STEP: Final = RelocationStep(name="seed", do=do, undo=undo)
