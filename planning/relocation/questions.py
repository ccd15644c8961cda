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
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from planning.costs.bill import LineItem
    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.plan import RelocationPlan

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


def list_questions(plan: RelocationPlan) -> tuple[PlanQuestion, ...]:
    """Every one, in the order of the text that asks them."""
    return tuple(
        PlanQuestion(question=question, sentences=tuple(answer(plan)), known=is_known is None or is_known(plan))
        for question, answer, is_known in _QUESTIONS
    )


def _answer_who(plan: RelocationPlan) -> Iterator[str]:
    yield "No provider is responsible for it: you are, and this plan says for each thing who acts."
    for runs, words in RUNNERS.items():
        mine = [each.thing.title for each in plan.chosen if each.choice and each.choice.mover.runs == runs]
        if mine:
            yield f"{words} {format_names(mine)}."
    nobody = [each.thing.title for each in plan.chosen if each.choice is None]
    if nobody:
        yield f"Nothing of ours moves: {format_names(nobody)}."


def _answer_speed(plan: RelocationPlan) -> Iterator[str]:
    seed = plan.times.seed
    yield f"Time of the first copy: {span_text(seed)} ({seed.basis})."
    yield "People work on while it runs; only what follows the freeze keeps them waiting."
    yield f"Then {plan.times.rounds.words}."


def _answer_metadata(plan: RelocationPlan) -> Iterator[str]:
    choices = [(each.thing, each.choice) for each in plan.chosen if each.choice]
    lost = [(thing, each) for thing, choice in choices for each in choice.loses]
    for thing, each in lost:
        yield f"{thing.title}: {each.text}."
    if not lost:
        counted = any(choice.counted for _, choice in choices)
        yield "Of what was counted, nothing is lost." if counted else "What the source uses was not counted yet."
    if open_ := _list_unlooked(plan):
        yield f"Not inspected yet, so that losses are unknown: {format_names(open_)}."


def _list_unlooked(plan: RelocationPlan) -> list[str]:
    return [each.thing.title for each in plan.chosen if each.choice and each.choice.unlooked]


def _answer_small_files(plan: RelocationPlan) -> Iterator[str]:
    counts = [each.thing.objects.max for each in plan.chosen if each.thing.objects is not None]
    if counts:
        yield f"{sum(counts):,.0f} objects and files were counted."
    if uncounted := _list_uncounted(plan):
        yield f"Not counted yet: those of {format_names([each.title for each in uncounted])}."
    yield "Nothing is packed with tar: small objects are copied side by side, each whole and by itself."
    slow = [each.name for each in plan.times.volumes if "objects at" in each.span.basis]
    if slow:
        yield f"Their number, not their size, decides the time of {format_names(slow)}."


def _list_uncounted(plan: RelocationPlan) -> list[StatefulAsset]:
    with_files = {AssetKind.BUCKET, AssetKind.FILE_SYSTEM, AssetKind.VOLUME}
    return [each.thing for each in plan.chosen if each.thing.objects is None and each.thing.kind in with_files]


def _answer_room(plan: RelocationPlan) -> Iterator[str]:
    databases = (each.thing for each in plan.chosen if each.thing.kind in {AssetKind.POSTGRESQL, AssetKind.MYSQL})
    gb = sum(gb_of(thing.bytes).max for thing in databases if thing.bytes)
    yield "No second copy is made at the source: objects and files stream from one side to the other."
    yield f"Dumps of databases need at most {gb:,.0f} GB beside the journal, where atoll relocate run stands."


def _answer_both_clusters(plan: RelocationPlan) -> Iterator[str]:
    terms, days = plan.given.terms, plan.given.terms.overlap_days
    both, kept, left = (_lines_of(plan, prefix) for prefix in ("overlap/", "retained/", "commitment/"))
    yield f"Yes: for {days.expected:,.0f} days (at most {days.max:,.0f}) both are paid, {_sum(both)}."
    yield f"After the commit the source's data is kept for {terms.retain_days} days, {_sum(kept)}."
    if left:
        yield f"What is left of reserved terms: {_sum(left)}."


def _lines_of(plan: RelocationPlan, *prefixes: str) -> list[LineItem]:
    return [line for line in plan.bill.bill.lines if line.key.startswith(prefixes)]


def _sum(lines: Sequence[LineItem]) -> str:
    return amount(total(lines), unpriced=sum(1 for line in lines if line.usd_per_month is None))


def _answer_freeze(plan: RelocationPlan) -> Iterator[str]:
    times = plan.times
    yield f"Write freeze: {span_text(times.frozen)}; the window is {times.window_seconds // 60} minutes."
    for part in times.freeze:
        yield f"{part.title}: {span_text(part.span)} ({part.span.basis})."


def _answer_open_files(plan: RelocationPlan) -> Iterator[str]:
    yield "Work continues during the first copy and the rounds after it: changed data is copied again."
    yield "At the freeze notebooks stop, queues are held, schedules suspended; MLflow and buckets take no writes."
    yield "A file that is open in a notebook keeps what was saved, and loses what was not."
    yield "Queues are held and drained (HoldAndDrain): jobs that run are evicted, and plain pods of a queue end."
    yield "Tell people the hour, and let jobs write a checkpoint before it: what ran begins again at its last one."
    yield "A canary write must be refused before the last copy begins; one that succeeds ends the freeze."
    step = format_names([each.title for each in STEPS if each.name == POINT_OF_NO_RETURN])
    yield f"Until the step {step} everything goes on at the source as it was; from then on it does not."
    if plan.times.fits == "no":
        yield "The freeze is longer than the window: shorten the last round, or agree on a longer one."


def _answer_region(plan: RelocationPlan) -> Iterator[str]:
    place = plan.target.spec.placement
    yield f"All tiers and buckets lie in {place.provider} {place.region} before the first job starts there."


def _answer_sources(plan: RelocationPlan) -> Iterator[str]:
    unlooked = plan.inventory.unlooked
    for what, why in unlooked:
        yield f"The {what} was not: {why}."
    if any(what == "cluster" for what, _ in unlooked):
        yield "What people made in the cluster is in this plan by kind only."
    if not unlooked:
        yield "Lock, program and running cluster."


# A question, the sentences that answer it, and whether every figure in them is known; None where there is none.
_QUESTIONS: Final[
    tuple[tuple[str, Callable[[RelocationPlan], Iterator[str]], Callable[[RelocationPlan], bool] | None], ...]
] = (
    (
        "Is the provider responsible for moving your data, or are you?",
        _answer_who,
        lambda plan: all(each.choice for each in plan.chosen),
    ),
    (
        "Is the tooling good enough to move it in hours, or will it take days?",
        _answer_speed,
        lambda plan: plan.times.seed.seconds is not None and not plan.times.seed.at_least,
    ),
    (
        "Will file and object metadata be dropped on the way?",
        _answer_metadata,
        lambda plan: not _list_unlooked(plan),
    ),
    (
        "Are there millions of tiny files, and what do they cost in time?",
        _answer_small_files,
        lambda plan: not _list_uncounted(plan),
    ),
    ("Do you have twice the storage, for two copies of the data?", _answer_room, None),
    (
        "Are both clusters paid for while they overlap?",
        _answer_both_clusters,
        lambda plan: all(line.usd_per_month is not None for line in _lines_of(plan, "overlap/", "retained/")),
    ),
    ("How long is everything frozen?", _answer_freeze, lambda plan: plan.times.fits != "undetermined"),
    ("What happens to files that are edited and made while the data is on the move?", _answer_open_files, None),
    ("Is the storage in the same region as the accelerators afterwards?", _answer_region, None),
    ("What was looked at to make this plan?", _answer_sources, lambda plan: not plan.inventory.unlooked),
)
