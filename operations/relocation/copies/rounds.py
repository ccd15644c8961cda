"""A round of copies over every bucket, by whichever mover each was given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from components.agents.mover.rounds import CopyOptions, RoundReport, copy_round
from operations.relocation.buckets import pairs
from operations.relocation.copies import repair
from operations.relocation.jobs import copies as cluster_opening
from operations.relocation.runner.step import Evidence, Move, StepError

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.agents.mover.scan import Connect
    from operations.relocation.buckets.pairs import BucketPair

    Copy = Callable[..., RoundReport]

MOVERS: Final[dict[str, Copy]] = {"atoll": copy_round}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResult:
    """Result of one round, by bucket of the source."""

    reports: dict[str, RoundReport]

    @property
    def seconds(self) -> float:
        return sum(each.seconds for each in self.reports.values())

    @property
    def quiet(self) -> bool:
        return all(each.quiet for each in self.reports.values())

    @property
    def complete(self) -> bool:
        """Whether the target holds everything that was listed."""
        return all(each.complete for each in self.reports.values())

    @property
    def copied(self) -> int:
        return sum(each.objects for each in self.reports.values())

    def build_evidence(self) -> Evidence:
        return {name: _figures(each) for name, each in self.reports.items()}


def run_copy_round(
    move: Move,
    *,
    movers: dict[str, Copy] = MOVERS,
    tags_again: bool = False,
    connect: Connect = pairs.connect,
    only: frozenset[str] | None = None,
) -> RoundResult:
    """Copy changes and damage since the last round, in every bucket.

    Args:
        tags_again: whether objects that did not change are asked for their tags.
        only: buckets of the source; None for all of them.

    Raises:
        StepError: something cannot be copied, or the target holds what is not ours; by name.
    """
    reports: dict[str, RoundReport] = {}
    for pair in pairs.pair_buckets(move):
        if only is not None and pair.bucket.source not in only:
            continue
        # Its files name every object of the bucket.
        pair.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with pairs.translate_store_errors():
            repair.clear(pair, connect=connect)
            report = _mover(move, pair, movers)(
                pair.source,
                pair.target,
                folder=pair.folder,
                options=_options(move, pair, tags_again=tags_again),
                say=partial(_say, move, pair),
            )
        reports[pair.bucket.source] = report
        if report.complete:
            repair.close(pair)
    done = RoundResult(reports=reports)
    _refuse(done)
    return done


def _mover(move: Move, pair: BucketPair, movers: dict[str, Copy]) -> Copy:
    """The copier of a bucket; for `cluster`, the cluster is opened now."""
    # A cluster is opened only for a bucket that needs it: others must not ask for a kubeconfig.
    known = movers.get(pair.bucket.mover)
    return known or cluster_opening.cluster_movers(move.places, move.secrets).copy_round


def _say(move: Move, pair: BucketPair, line: str) -> None:
    move.say(f"{pair.bucket.source}: {line}")


def _options(move: Move, pair: BucketPair, *, tags_again: bool) -> CopyOptions:
    return CopyOptions(
        versions=pair.bucket.versions,
        transfers=move.places.transfers,
        bandwidth_mib_per_s=move.places.bandwidth_mib_per_s,
        tags_again=tags_again,
        tags_counted=move.places.source.store.kind in pairs.COUNTS_TAGS,
        reserved=pairs.RESERVED,
    )


def _refuse(done: RoundResult) -> None:
    """Stop if something cannot be copied.

    Raises:
        StepError: it names buckets and keys.
    """
    said: list[str] = []
    for name, report in done.reports.items():
        if report.foreigns:
            keys = pairs.format_keys([key for key, _ in report.foreign])
            said.append(f"{name}: {report.foreigns} objects at the target are not this relocation's: {keys}")
        if report.failures:
            failed = sorted(report.failed)  # threads end in any order
            first = "; ".join(why for _, why in failed[:3])
            keys = pairs.format_keys([key for key, _ in failed])
            said.append(f"{name}: {report.failures} objects cannot be copied: {keys}: {first}")
        if report.stopped:
            said.append(f"{name}: stopped before the end")
    if said:
        raise StepError("; ".join(said), evidence=done.build_evidence())


def _figures(report: RoundReport) -> Evidence:
    return {
        "objects": report.objects,
        "bytes": report.size,
        "unchanged": report.skipped,
        "retagged": report.retagged,
        "deleted": report.deleted,
        "changed_meanwhile": report.changes,
        "changed_first": report.changed_during[: pairs.NAMED],
        "foreign": report.foreigns,
        "failed": report.failures,
        "uploads_abandoned": report.abandoned,
        "seconds": round(report.seconds, 3),
    }
