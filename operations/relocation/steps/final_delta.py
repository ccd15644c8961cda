"""The last copy, while writers stand still: after it, two rounds must find nothing to do."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

from components.agents.mover.compare import ComparisonTerms, compare
from components.agents.mover.rounds import MANIFEST
from components.agents.mover.scan import Sample
from operations.relocation.buckets import pairs
from operations.relocation.copies import rounds
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError

if TYPE_CHECKING:
    from pathlib import Path

    from operations.relocation.buckets.pairs import BucketPair
    from operations.relocation.copies.rounds import Copy, RoundResult

QUIET: Final = 2  # rounds in a row
BEFORE: Final = "before.manifest"


def do(move: Move, *, movers: dict[str, Copy] = rounds.MOVERS) -> Evidence:
    """Copy what was written before the freeze, then look twice.

    Raises:
        StepError: an object was written during the freeze; it names which.
    """
    first = rounds.run_copy_round(move, movers=movers, tags_again=True)
    _refuse_writes(first, names=_list_changed_keys(first))
    for _ in range(1 if first.quiet else QUIET):
        _keep_manifests(move)
        again = rounds.run_copy_round(move, movers=movers, tags_again=True)
        if not again.quiet:
            _refuse_writes(again, names=[*_list_changed_keys(again), *_since(move)], whatever=True)
    return {"copied": first.evidence(), "quiet_rounds": QUIET}


def _refuse_writes(found: RoundResult, *, names: list[str], whatever: bool = False) -> None:
    """Let a write during the freeze stop everything.

    Args:
        whatever: whether it stops even where nobody knows which object it was.

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
        evidence={"keys": keys[:100], "count": len(keys), "round": found.evidence()},
    )


def _list_changed_keys(found: RoundResult) -> list[str]:
    return [key for report in found.reports.values() for key in report.changed_during]


def _keep_manifests(move: Move) -> None:
    """Keep what the source held, to name what changes from here on."""
    for pair in _pairs(move):
        if (pair.folder / MANIFEST).exists():
            shutil.copyfile(pair.folder / MANIFEST, pair.folder / BEFORE)


def _since(move: Move) -> list[str]:
    return [key for pair in _pairs(move) for key in _between(pair.folder / BEFORE, pair.folder / MANIFEST)]


def _between(before: Path, after: Path) -> list[str]:
    if not (before.exists() and after.exists()):
        return []
    with pairs.translate_store_errors():
        found = compare(before, after, ComparisonTerms(sample=Sample(), reserved=pairs.RESERVED))
    return [each.key for kind in (found.missing, found.extra, found.different) for each in kind.first]


def _pairs(move: Move) -> tuple[BucketPair, ...]:
    return pairs.pair_buckets(move.places, folder=move.folder, secrets=move.secrets)


STEP: Final = RelocationStep(name="final_delta", do=do)
