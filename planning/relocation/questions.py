"""The questions that whoever moved a cluster wishes to have asked before, answered by this very plan's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.costs.bill import total
from planning.relocation.formatting import amount, format_names, span_text
from planning.relocation.inventory.assets import AssetKind
from planning.relocation.inventory.volume import gb_of
from planning.relocation.steps import POINT_OF_NO_RETURN, STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.costs.bill import LineItem
    from planning.relocation.costs.bill import MovingBill, RelocationTerms
    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.methods.data_loss import MoverChoice
    from planning.relocation.write_freeze import Times
    from planning.spec.cluster import Placement

SEED: Final = "Bekman, How to Choose a Cloud Provider: questions to ask long before a migration starts"
RUNNERS: Final[Mapping[str, str]] = {
    "atoll": "Atoll moves",
    "provider": "The provider's own service moves, started and paid by you:",
    "you": "You move, as the step says:",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanQuestion:
    """A question and what the plan says to it.

    Args:
        known: whether every figure in it is known.
    """

    question: str
    sentences: tuple[str, ...]
    known: bool
    source: str = SEED


def questions(
    *,
    chosen: Sequence[tuple[StatefulAsset, MoverChoice | None]],
    times: Times,
    bill: MovingBill,
    terms: RelocationTerms,
    target: Placement,
    unlooked: Sequence[tuple[str, str]],
) -> tuple[PlanQuestion, ...]:
    """Every one, in the order of the text that asks them."""
    return (
        _who(chosen),
        _fast_enough(times),
        _metadata(chosen),
        _small_files(chosen, times),
        _room(chosen),
        _both_clusters(bill, terms),
        _freeze(times),
        _open_files(times),
        _same_region(target),
        _answer_sources(unlooked),
    )


def _answer(question: str, sentences: Iterator[str], *, known: bool = True) -> PlanQuestion:
    return PlanQuestion(question=question, sentences=tuple(sentences), known=known)


def _who(chosen: Sequence[tuple[StatefulAsset, MoverChoice | None]]) -> PlanQuestion:
    def sentences() -> Iterator[str]:
        yield "No provider is responsible for it: you are, and this plan says for each thing who acts."
        for runs, words in RUNNERS.items():
            mine = [thing.title for thing, choice in chosen if choice and choice.mover.runs == runs]
            if mine:
                yield f"{words} {format_names(mine)}."
        nobody = [thing.title for thing, choice in chosen if choice is None]
        if nobody:
            yield f"Nothing of ours moves: {format_names(nobody)}."

    return _answer(
        "Is the provider responsible for moving your data, or are you?",
        sentences(),
        known=all(choice for _, choice in chosen),
    )


def _fast_enough(times: Times) -> PlanQuestion:
    def sentences() -> Iterator[str]:
        yield f"Time of the first copy: {span_text(times.seed)} ({times.seed.basis})."
        yield "People work on while it runs; only what follows the freeze keeps them waiting."
        yield f"Then {times.rounds.words}."

    known = times.seed.seconds is not None and not times.seed.at_least
    return _answer("Is the tooling good enough to move it in hours, or will it take days?", sentences(), known=known)


def _metadata(chosen: Sequence[tuple[StatefulAsset, MoverChoice | None]]) -> PlanQuestion:
    lost = [(thing, each) for thing, choice in chosen if choice for each in choice.loses]
    open_ = [thing.title for thing, choice in chosen if choice and choice.unlooked]
    counted = any(choice.counted for _, choice in chosen if choice)

    def sentences() -> Iterator[str]:
        for thing, each in lost:
            yield f"{thing.title}: {each.text}."
        if not lost:
            yield "Of what was counted, nothing is lost." if counted else "What the source uses was not counted yet."
        if open_:
            yield f"Not looked at yet, so that nobody can say that nothing is lost: {format_names(open_)}."

    return _answer("Will file and object metadata be dropped on the way?", sentences(), known=not open_)


def _small_files(chosen: Sequence[tuple[StatefulAsset, MoverChoice | None]], times: Times) -> PlanQuestion:
    counted = [thing for thing, _ in chosen if thing.objects is not None]
    uncounted = [thing.title for thing, _ in chosen if thing.objects is None and thing.kind in _WITH_FILES]

    def sentences() -> Iterator[str]:
        if counted:
            most = sum(thing.objects.max for thing in counted if thing.objects)
            yield f"{most:,.0f} objects and files were counted."
        if uncounted:
            yield f"Nobody has counted those of {format_names(uncounted)}."
        yield "Nothing is packed with tar: small objects are copied side by side, each whole and by itself."
        slow = [each for each in times.volumes if "objects at" in each.span.basis]
        if slow:
            yield f"Their number, not their size, decides the time of {format_names([each.name for each in slow])}."

    return _answer("Are there millions of tiny files, and what do they cost in time?", sentences(), known=not uncounted)


_WITH_FILES: Final = frozenset({AssetKind.BUCKET, AssetKind.FILE_SYSTEM, AssetKind.VOLUME})


def _room(chosen: Sequence[tuple[StatefulAsset, MoverChoice | None]]) -> PlanQuestion:
    dumped = [thing for thing, _ in chosen if thing.kind in {AssetKind.POSTGRESQL, AssetKind.MYSQL} and thing.bytes]
    gb = sum(gb_of(thing.bytes).max for thing in dumped if thing.bytes)

    def sentences() -> Iterator[str]:
        yield "No second copy is made at the source: objects and files stream from one side to the other."
        yield f"Dumps of databases need at most {gb:,.0f} GB beside the journal, where atoll relocate run stands."

    return _answer("Do you have twice the storage, for two copies of the data?", sentences())


def _both_clusters(bill: MovingBill, terms: RelocationTerms) -> PlanQuestion:
    lines = bill.bill.lines
    overlap, kept = _starting(lines, "overlap/"), _starting(lines, "retained/")

    def sentences() -> Iterator[str]:
        days = terms.overlap_days
        yield f"Yes: for {days.expected:,.0f} days (at most {days.max:,.0f}) both are paid, {_sum(overlap)}."
        yield f"After the commit the source's data is kept for {terms.retain_days} days, {_sum(kept)}."
        left = _starting(lines, "commitment/")
        if left:
            yield f"What is left of reserved terms: {_sum(left)}."

    open_ = [line for line in (*overlap, *kept) if line.usd_per_month is None]
    return _answer("Are both clusters paid for while they overlap?", sentences(), known=not open_)


def _starting(lines: Sequence[LineItem], prefix: str) -> list[LineItem]:
    return [line for line in lines if line.key.startswith(prefix)]


def _sum(lines: Sequence[LineItem]) -> str:
    return amount(total(lines), unpriced=sum(1 for line in lines if line.usd_per_month is None))


def _freeze(times: Times) -> PlanQuestion:
    def sentences() -> Iterator[str]:
        yield f"Writers stand still: {span_text(times.frozen)}; the window is {times.window_seconds // 60} minutes."
        for part in times.freeze:
            yield f"{part.title}: {span_text(part.span)} ({part.span.basis})."

    return _answer("How long is everything frozen?", sentences(), known=times.fits != "cannot tell")


def _open_files(times: Times) -> PlanQuestion:
    def sentences() -> Iterator[str]:
        yield "Nobody is sent home for the first copy and the rounds after it: what is written then is copied again."
        yield "At the freeze notebooks stop, queues are held, schedules suspended; MLflow and buckets take no writes."
        yield "A file that is open in a notebook keeps what was saved, and loses what was not."
        yield "Queues are held and drained (HoldAndDrain): jobs that run are evicted, and plain pods of a queue end."
        yield "Tell people the hour, and let jobs write a checkpoint before it: what ran begins again at its last one."
        yield "A canary write must be refused before the last copy begins; one that succeeds ends the freeze."
        back = [each.title for each in STEPS if each.name == POINT_OF_NO_RETURN]
        step = format_names(back)
        yield f"Until the step {step} everything goes on at the source as it was; from then on it does not."
        if times.fits == "no":
            yield "The freeze is longer than the window: shorten the last round, or agree on a longer one."

    return _answer("What happens to files that are edited and made while the data is on the move?", sentences())


def _same_region(target: Placement) -> PlanQuestion:
    def sentences() -> Iterator[str]:
        yield f"All tiers and buckets lie in {target.provider} {target.region} before the first job starts there."

    return _answer("Is the storage in the same region as the accelerators afterwards?", sentences())


def _answer_sources(unlooked: Sequence[tuple[str, str]]) -> PlanQuestion:
    def sentences() -> Iterator[str]:
        for what, why in unlooked:
            yield f"The {what} was not: {why}."
        if any(what == "cluster" for what, _ in unlooked):
            yield "What people made in the cluster is in this plan by kind only."
        if not unlooked:
            yield "Lock, program and running cluster."

    return _answer("What was looked at to make this plan?", sentences(), known=not unlooked)
