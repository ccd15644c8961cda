"""Copies of what changed, again and again, until one of them would fit into the freeze with room to spare."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from operations.relocation.copies import rounds
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError

if TYPE_CHECKING:
    from operations.relocation.copies.rounds import Copy, RoundResult

SHARE: Final = 4  # the last round takes at most this part of the window: the freeze has more to do than to copy
NO_SHORTER: Final = 3  # rounds in a row


def do(move: Move, *, movers: dict[str, Copy] = rounds.MOVERS) -> Evidence:
    """Copy until the last round is short.

    Raises:
        StepError: rounds do not get shorter, or something cannot be copied.
    """
    done: list[RoundResult] = []
    most = move.places.window_minutes * 60 / SHARE
    while True:
        done.append(rounds.run_copy_round(move, movers=movers, tags_again=True))
        if done[-1].quiet or done[-1].seconds < most:
            return _evidence(done)
        _refuse_endless(done, most=most)


def _refuse_endless(done: list[RoundResult], *, most: float) -> None:
    """Let rounds that do not get shorter stop.

    Raises:
        StepError: the source is written faster than it is copied.
    """
    last = [each.seconds for each in done[-NO_SHORTER - 1 :]]
    if len(last) <= NO_SHORTER or any(later < earlier for earlier, later in pairwise(last)):
        return
    raise StepError(
        f"{NO_SHORTER} rounds in a row did not get shorter: {last[-1]:.0f} s, and {most:.0f} s are wanted",
        hint="the source is written as fast as it is copied: widen the window, or raise transfers and the bandwidth",
        evidence=_evidence(done),
    )


def _evidence(done: list[RoundResult]) -> Evidence:
    figures: Evidence = {"rounds": len(done), "seconds": [round(each.seconds, 3) for each in done]}
    return {**figures, "last": done[-1].evidence()}


STEP: Final = RelocationStep(name="deltas", do=do)
