"""A relocation's plan as JSON, in canonical text with a digest over it; `atoll schema --of relocation` publishes it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal, cast

from pydantic import with_config
from typing_extensions import TypedDict

from planning.costs.json_shapes import CLOSED, BillForm, RangeForm, bill_form
from planning.relocation.durations import DurationEstimate
from planning.relocation.inventory.assets import OF_KIND
from planning.relocation.methods.move_methods import SOURCES, applicable, cell
from planning.relocation.questions import list_questions
from planning.relocation.steps import POINT_OF_NO_RETURN, STEPS
from planning.spec.lock import to_text as lock_text
from planning.values.json_format import SCHEMA_VERSION, fill_form, to_json
from planning.values.money import Range, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.relocation.costs.bill import MovingBill
    from planning.relocation.costs.break_even import BreakEven
    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.methods.data_loss import FeatureLoss, MoverChoice
    from planning.relocation.plan import AssetMove, RelocationPlan
    from planning.relocation.write_freeze import Times
    from planning.spec.lock import Lock

DIGEST: Final = "digest"


@with_config(CLOSED)
class NoteForm(TypedDict):
    """A waiver that may be had, a limit of the arithmetic."""

    text: str
    source: str


@with_config(CLOSED)
class MovingBillForm(TypedDict):
    """What the move costs once."""

    bill: BillForm
    """`usd_per_month` of its lines is USD once: nothing in it is paid by the month."""
    notes: list[NoteForm]


@with_config(CLOSED)
class DurationForm(TypedDict):
    """A time."""

    seconds: RangeForm | None
    """Whole seconds; null where unknown."""
    at_least: bool
    """Whether something in it is not known."""
    basis: str


@with_config(CLOSED)
class VolumeTimeForm(TypedDict):
    """First copy of one thing."""

    name: str
    kind: str
    span: DurationForm


@with_config(CLOSED)
class RoundsForm(TypedDict):
    """Copies until the window is met."""

    count: int | None
    """After the first copy; null: never, or not known."""
    last: DurationForm
    words: str


@with_config(CLOSED)
class FreezePartForm(TypedDict):
    """One thing that writers wait for."""

    step: str
    title: str
    span: DurationForm


@with_config(CLOSED)
class TimesForm(TypedDict):
    """How long everything takes."""

    volumes: list[VolumeTimeForm]
    seed: DurationForm
    rounds: RoundsForm
    freeze: list[FreezePartForm]
    frozen: DurationForm
    """All parts of the freeze, one after another."""
    window_seconds: int
    fits: Literal["yes", "no", "undetermined"]
    """Whether the freeze stays within the window, at its longest."""


@with_config(CLOSED)
class BreakEvenForm(TypedDict):
    """From when the move has paid."""

    verdict: Literal["dated", "never", "undetermined"]
    earliest: str | None
    expected: str | None
    latest: str | None
    saved_usd_per_month: list[str]
    """Old less new at min, expected and max, in cents; negative where the target is more expensive."""
    words: str


@with_config(CLOSED)
class RelocationSideForm(TypedDict):
    """One side."""

    stack: str
    provider: str
    region: str
    lock_digest: str
    """Of quote.lock.json: another lock is another plan."""


@with_config(CLOSED)
class LostForm(TypedDict):
    """Something that a mover loses."""

    feature: str
    count: int | None
    """Objects with it; null where they were not counted."""
    text: str
    source: str


@with_config(CLOSED)
class OtherMoverForm(TypedDict):
    """A mover that was not chosen."""

    name: str
    title: str
    reason: str


@with_config(CLOSED)
class MoverForm(TypedDict):
    """What moves a thing."""

    name: str
    title: str
    runs: Literal["atoll", "provider", "you"]
    """Who acts."""
    why: str
    needs: str
    limits: str
    loses: list[LostForm]
    """Of what is used."""
    unlooked: list[LostForm]
    """Losses of features that were not counted."""
    others: list[OtherMoverForm]


@with_config(CLOSED)
class ThingForm(TypedDict):
    """One stateful thing of the source."""

    key: str
    title: str
    kind: str
    loss: Literal["irreplaceable", "large", "re-creatable"]
    treatment: Literal["moved", "made anew", "stays"]
    reason: str
    part: str
    locator: str
    bytes: RangeForm | None
    """Null where it was not measured."""
    objects: RangeForm | None
    sized_by: str
    seen: list[Literal["lock", "plan", "cluster"]]
    mover: MoverForm | None
    """Null for what is not moved, and for what nothing of ours moves."""
    saved_usd: RangeForm | None
    """What its way would cost, where it is left out; null for the rest, and where that is not known."""


@with_config(CLOSED)
class WayForm(TypedDict):
    """One way in which people move a thing."""

    title: str
    text: str
    """Commands and manifests to fill in."""
    loses: list[str]
    source: str


@with_config(CLOSED)
class ByHandForm(TypedDict):
    """Something that Atoll does not move by itself: by-hand.yaml confirms it before the run goes on."""

    key: str
    title: str
    why: str
    ways: list[WayForm]


@with_config(CLOSED)
class UnlookedForm(TypedDict):
    """Something that was not asked."""

    what: str
    why: str


@with_config(CLOSED)
class CellForm(TypedDict):
    """One cell of the loss matrix."""

    kind: str
    mover: str
    target: str
    feature: str
    carries: Literal["kept", "dropped", "not known"]
    note: str
    source: str


@with_config(CLOSED)
class RelocationStepForm(TypedDict):
    """A step of the run."""

    name: str
    title: str
    proves: str
    aborts: str
    way_back: str
    frozen: bool
    """Whether the step is within the write freeze."""
    span: DurationForm | None
    """Null where it takes no time worth planning, or where only a rehearsal tells."""


@with_config(CLOSED)
class QuestionForm(TypedDict):
    """A question and what the plan says to it."""

    question: str
    sentences: list[str]
    known: bool
    source: str


@with_config(CLOSED)
class RelocationPlanForm(TypedDict):
    """`atoll relocate plan --json`."""

    schema_version: int
    source: RelocationSideForm
    target: RelocationSideForm
    planned_on: str
    prices: str
    """Name of the price book."""
    places_digest: str | None
    """Of relocation.yaml; null where none was named."""
    leaves_by: Literal["gateway_endpoint", "nat", "direct"]
    """How bytes leave the source's network."""
    things: list[ThingForm]
    unlooked: list[UnlookedForm]
    strange: list[str]
    """Registered resources that hold state and that no row of ours knows."""
    by_hand: list[ByHandForm]
    """What somebody must see to, by the keys of by-hand.yaml."""
    matrix: list[CellForm]
    """Of the movers that apply here."""
    bill: MovingBillForm
    times: TimesForm
    break_even: BreakEvenForm
    steps: list[RelocationStepForm]
    point_of_no_return: str
    questions: list[QuestionForm]
    notes: list[NoteForm]
    """What was assumed, and what people do by hand."""
    digest: str
    """SHA-256 over everything else, in canonical text; `atoll relocate run` holds it."""


def plan_form(plan: RelocationPlan, *, places_digest: str | None = None) -> RelocationPlanForm:
    choices = {each.thing.key: each.choice for each in plan.chosen}
    savings = {each.thing.key: each.usd for each in plan.savings}
    body = fill_form(
        RelocationPlanForm,
        plan,
        schema_version=SCHEMA_VERSION,
        source=_fill_side(plan.source),
        target=_fill_side(plan.target),
        places_digest=places_digest,
        leaves_by=plan.route.leaves_by,
        things=[
            _fill_thing(each, choices.get(each.key), saved=savings.get(each.key)) for each in plan.inventory.things
        ],
        unlooked=[{"what": what, "why": why} for what, why in plan.inventory.unlooked],
        strange=list(plan.inventory.strange),
        matrix=list(_list_cells(plan.chosen)),
        bill=moving_bill_form(plan.bill),
        times=times_form(plan.times),
        break_even=break_even_form(plan.break_even),
        steps=_fill_steps(plan),
        point_of_no_return=POINT_OF_NO_RETURN,
        questions=to_json(list_questions(plan)),
        digest="",
    )
    body["digest"] = digest(body)
    return body


def to_text(form: RelocationPlanForm) -> str:
    """Canonical text: sorted keys, two spaces, one newline at the end."""
    return _canonical(cast("Mapping[str, object]", form))


def digest(form: RelocationPlanForm) -> str:
    """Over everything but itself."""
    body = {key: value for key, value in form.items() if key != DIGEST}
    return "sha256:" + sha256(_canonical(body).encode()).hexdigest()


def lock_digest(lock: Lock) -> str:
    return str(json.loads(lock_text(lock))["digest"])


def _canonical(body: Mapping[str, object]) -> str:
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def moving_bill_form(moving: MovingBill) -> MovingBillForm:
    return fill_form(MovingBillForm, moving, bill=bill_form(moving.bill))


def times_form(times: Times) -> TimesForm:
    return fill_form(
        TimesForm,
        times,
        volumes=[fill_form(VolumeTimeForm, each, span=span_form(each.span)) for each in times.volumes],
        seed=span_form(times.seed),
        rounds=fill_form(RoundsForm, times.rounds, last=span_form(times.rounds.last)),
        freeze=[fill_form(FreezePartForm, each, span=span_form(each.span)) for each in times.freeze],
        frozen=span_form(times.frozen),
    )


def span_form(span: DurationEstimate) -> DurationForm:
    seconds = span.seconds
    whole = seconds and {name: str(round(getattr(seconds, name))) for name in ("min", "expected", "max")}
    return fill_form(DurationForm, span, seconds=whole)


def break_even_form(found: BreakEven) -> BreakEvenForm:
    return fill_form(BreakEvenForm, found, saved_usd_per_month=[str(to_cents(each)) for each in found.saved])


def _fill_side(lock: Lock) -> RelocationSideForm:
    return fill_form(RelocationSideForm, lock.spec.placement, stack=lock.stack, lock_digest=lock_digest(lock))


def _fill_thing(thing: StatefulAsset, choice: MoverChoice | None, *, saved: Range | None) -> ThingForm:
    return fill_form(ThingForm, thing, mover=choice and _fill_mover(choice), saved_usd=to_json(saved))


def _fill_mover(choice: MoverChoice) -> MoverForm:
    return fill_form(
        MoverForm,
        choice.mover,
        why=choice.why,
        loses=_fill_losses(choice.loses),
        unlooked=_fill_losses(choice.unlooked),
        others=[fill_form(OtherMoverForm, mover, reason=reason) for mover, reason in choice.others],
    )


def _fill_losses(losses: Sequence[FeatureLoss]) -> list[LostForm]:
    return [fill_form(LostForm, each, source=SOURCES.get(each.source, "")) for each in losses]


def _list_cells(chosen: tuple[AssetMove, ...]) -> Iterator[CellForm]:
    """Every cell of every mover that applies to something here, once."""
    seen: set[tuple[str, ...]] = set()
    for move in chosen:
        kind, target = move.thing.kind, move.target_store
        for mover in applicable(kind, source=move.source_store, target=target):
            for feature in OF_KIND.get(kind, ()):
                if (mark := (kind.value, mover.name, target, feature.value)) in seen:
                    continue
                seen.add(mark)
                known = cell(mover.name, feature, kind=kind, target=target)
                source = SOURCES.get(known.source, "")
                yield fill_form(
                    CellForm,
                    known,
                    kind=kind.value,
                    mover=mover.title,
                    target=target,
                    feature=feature.value,
                    source=source,
                )


def _fill_steps(plan: RelocationPlan) -> list[RelocationStepForm]:
    """Every step with its time; what only a rehearsal tells has none."""
    observed = DurationEstimate(seconds=Range.exactly(plan.given.observe_minutes * 60), basis="as long as was asked")
    spans = {
        "seed": plan.times.seed,
        "deltas": plan.times.rounds.last,
        **{part.step: part.span for part in plan.times.freeze},
        "observe": observed,
    }
    found = ((step, spans.get(step.name)) for step in STEPS)
    return [fill_form(RelocationStepForm, step, span=span and span_form(span)) for step, span in found]
