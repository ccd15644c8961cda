"""Copies of every bucket: the first, rounds of what changed until one is short, and the last in the write freeze."""

from __future__ import annotations

import shutil
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from components.agents.mover.compare import ComparisonTerms, compare
from components.agents.mover.rounds import MANIFEST
from operations.relocation.buckets import pairs
from operations.relocation.copies import rounds
from operations.relocation.jobs.copies import remove_stale_jobs
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError

if TYPE_CHECKING:
    from pathlib import Path

    from operations.relocation.copies.rounds import Copy, RoundResult

SHARE: Final = 4  # the last round takes at most this part of the window: the freeze has more to do than to copy
NO_SHORTER: Final = 3  # rounds in a row
QUIET: Final = 2  # rounds in a row
BEFORE: Final = "before.manifest"


def seed(move: Move, *, movers: dict[str, Copy] = rounds.MOVERS) -> Evidence:
    """First copy of every bucket while the source is in use; a later attempt copies changes only.

    Raises:
        StepError: something cannot be copied; what was copied stays, and is not copied again.
    """
    return rounds.run_copy_round(move, movers=movers).build_evidence()


def copy_deltas(move: Move, *, movers: dict[str, Copy] = rounds.MOVERS) -> Evidence:
    """Copy changes in rounds until one would fit into the freeze with room to spare.

    Raises:
        StepError: rounds do not get shorter, or something cannot be copied.
    """
    done: list[RoundResult] = []
    # With room to spare: databases, rewriting and proofs share the window.
    most = move.places.window_minutes * 60 / SHARE
    while True:
        done.append(rounds.run_copy_round(move, movers=movers, tags_again=True))
        if done[-1].quiet or done[-1].seconds < most:
            return _evidence(done)
        _refuse_endless(done, most=most)


def _refuse_endless(done: list[RoundResult], *, most: float) -> None:
    """Stop if rounds do not get shorter.

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
    return {**figures, "last": done[-1].build_evidence()}


def copy_final_delta(move: Move, *, movers: dict[str, Copy] = rounds.MOVERS) -> Evidence:
    """Copy the last changes, then two more rounds that must find nothing.

    Raises:
        StepError: an object was written during the freeze; it names which.
    """
    first = rounds.run_copy_round(move, movers=movers, tags_again=True)
    _refuse_writes(first, names=_list_changed_keys(first))
    # A listing may lag behind a write: one quiet round could have missed it.
    for _ in range(1 if first.quiet else QUIET):
        _keep_manifests(move)
        again = rounds.run_copy_round(move, movers=movers, tags_again=True)
        if not again.quiet:
            _refuse_writes(again, names=[*_list_changed_keys(again), *_since(move)], whatever=True)
    return {"copied": first.build_evidence(), "quiet_rounds": QUIET}


def _refuse_writes(found: RoundResult, *, names: list[str], whatever: bool = False) -> None:
    """Stop the run because of a write during the freeze.

    Args:
        whatever: whether to stop even if the object is unknown.

    Raises:
        StepError: there was one.
    """
    if not names and not whatever:
        return
    keys = sorted(set(names))
    said = pairs.format_keys(keys) if keys else "which ones is not known"
    raise StepError(
        f"written at the source during the freeze: {said}",
        hint="a writer was not found: stop it, then run again, or roll back",
        evidence={"keys": keys[:100], "count": len(keys), "round": found.build_evidence()},
    )


def _list_changed_keys(found: RoundResult) -> list[str]:
    return [key for report in found.reports.values() for key in report.changed_during]


def _keep_manifests(move: Move) -> None:
    """Keep the source's manifests, to name later changes."""
    for pair in pairs.pair_buckets(move):
        if (pair.folder / MANIFEST).exists():
            shutil.copyfile(pair.folder / MANIFEST, pair.folder / BEFORE)


def _since(move: Move) -> list[str]:
    return [key for pair in pairs.pair_buckets(move) for key in _between(pair.folder / BEFORE, pair.folder / MANIFEST)]


def _between(before: Path, after: Path) -> list[str]:
    if not (before.exists() and after.exists()):
        return []
    with pairs.translate_store_errors():
        found = compare(before, after, ComparisonTerms(reserved=pairs.RESERVED))
    return [each.key for kind in (found.missing, found.extra, found.different) for each in kind.first]


# A roll back leaves no mover, and no keys of one, in a cluster; copies and ledgers stay for the next attempt.
SEED: Final = RelocationStep(name="seed", do=seed, undo=remove_stale_jobs)
DELTAS: Final = RelocationStep(name="deltas", do=copy_deltas)
FINAL_DELTA: Final = RelocationStep(name="final_delta", do=copy_final_delta)
