"""Proves the copy: nothing missing, nothing extra, nothing different; or names what is.

What is missing or different is copied anew when the step runs again, and proven again. What is extra was written by
somebody else, and is left to people.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

from components.agents.mover.compare import ComparisonTerms, compare
from components.agents.mover.rounds import MANIFEST
from operations.relocation.buckets import pairs as stores
from operations.relocation.copies import repair, rounds, verification
from operations.relocation.copies.verification import BucketProof, Proving
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError

if TYPE_CHECKING:
    from components.agents.mover.scan import Connect
    from operations.relocation.buckets.pairs import BucketPair
    from operations.relocation.copies.rounds import Copy

BEFORE: Final = "before-mending.manifest"
KEPT: Final = "verify/kept/"  # and a bucket, under which it is remembered that its manifest was kept
MENDED: Final = "run again: what is missing or different is copied anew, and proven again"
STILL: Final = "somebody writes while it is looked at: find out who, then run again"
LEFT_OUT: Final = f"nothing below {stores.RESERVED} is copied: give what is not ours there another name, then run again"
THEIRS: Final = "what is extra at the target was not copied there, and is not touched: delete it, then run again"


def do(move: Move, *, connect: Connect = stores.connect, movers: dict[str, Copy] = rounds.MOVERS) -> Evidence:
    """Repair what an earlier try found, then prove every bucket.

    Raises:
        StepError: one of them is not proven, and the reports name everything; or the source is written.
    """
    pairs = {each.bucket.source: each for each in stores.pair_buckets(move)}
    _mend(move, pairs, connect=connect, movers=movers)
    asked = Proving(move=move, connect=connect)
    found = verification.prove(asked)
    evidence: Evidence = {each.bucket: _figures(move, each, pairs[each.bucket]) for each in found}
    bad = [each for each in found if not each.proven]
    if bad:
        hints = {hint for each in bad for hint in _note(each, pairs[each.bucket])}
        said = "; ".join(f"{each.bucket}: {each.sentence}: {', '.join(each.first)}" for each in bad)
        hint = f"all of them are named in {bad[0].path.parent}; {'; '.join(sorted(hints))}"
        raise StepError(said, hint=hint, evidence=evidence)
    return evidence


def _note(found: BucketProof, pair: BucketPair) -> list[str]:
    """Write down what is to be mended; what is to be done about everything that was found."""
    with stores.translate_store_errors():
        damage = repair.damage(*found.manifests, found.terms)
    repair.note(pair, damage)
    wanted = {THEIRS: damage.extra, MENDED: damage.count, STILL: found.changes, LEFT_OUT: found.left_out}
    return [hint for hint, count in wanted.items() if count] or [MENDED]


def _mend(move: Move, pairs: dict[str, BucketPair], *, connect: Connect, movers: dict[str, Copy]) -> None:
    """Copy noted damage again.

    Raises:
        StepError: the target holds what is not ours, or the source is written during the freeze.
    """
    damaged = {name: pair for name, pair in pairs.items() if repair.read_note(pair).open}
    for name, pair in damaged.items():
        move.say(f"{name}: {repair.read_note(pair).open.count} damaged objects are copied anew")
        _keep_manifest(move, pair)
    done = rounds.run_copy_round(move, movers=movers, connect=connect, only=frozenset(damaged))
    keys = [key for report in done.reports.values() for key in report.changed_during]
    keys += [key for pair in pairs.values() for key in _find_later_writes(move, pair)]
    if keys:
        raise StepError(
            f"written at the source during the freeze: {stores.format_keys(sorted(set(keys)))}",
            hint="a writer was not found: stop it, then run again, or roll back",
            evidence={"keys": sorted(set(keys))[: repair.NAMED], "round": done.build_evidence()},
        )


def _keep_manifest(move: Move, pair: BucketPair) -> None:
    """Keep the source's manifest of the last copy, unless a killed try of this attempt has."""
    if _has_kept_manifest(move, pair) or not (pair.folder / MANIFEST).exists():
        return
    beside = pair.folder / f"{BEFORE}.new"
    shutil.copyfile(pair.folder / MANIFEST, beside)
    beside.replace(pair.folder / BEFORE)
    move.memory.remember(f"{KEPT}{pair.bucket.source}", value=True)


def _has_kept_manifest(move: Move, pair: BucketPair) -> bool:
    """Whether it was kept since the last rollback, and is not compared yet."""
    # A file alone may be of an attempt that was rolled back.
    return (pair.folder / BEFORE).exists() and move.memory.recall(f"{KEPT}{pair.bucket.source}") is not None


def _find_later_writes(move: Move, pair: BucketPair) -> list[str]:
    """Keys of the source that changed since the last copy."""
    if not _has_kept_manifest(move, pair):
        return []
    with stores.translate_store_errors():
        found = compare(pair.folder / BEFORE, pair.folder / MANIFEST, ComparisonTerms(reserved=stores.RESERVED))
    # Compared once: after the next copy it says nothing about later writes.
    (pair.folder / BEFORE).unlink()
    return [each.key for kind in (found.missing, found.extra, found.different) for each in kind.first]


def _figures(move: Move, found: BucketProof, pair: BucketPair) -> Evidence:
    mended = repair.read_note(pair)
    again: Evidence = {"mended": mended.mended, "mended_first": list(mended.first)} if mended.mended else {}
    return {
        "sentence": found.sentence,
        "proven": found.proven,
        "changed_meanwhile": found.changes,
        "report": str(found.path.relative_to(move.folder)),
        **again,
    }


STEP: Final = RelocationStep(name="verify", do=do)
