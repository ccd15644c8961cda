"""Shapes of the JSON of a relocation's plan; `atoll schema --of relocation` publishes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.costs.json_shapes import BillForm, RangeForm, bill_form
from planning.values.money import to_cents

if TYPE_CHECKING:
    from datetime import date
    from decimal import Decimal

    from planning.relocation.costs.bill import MovingBill
    from planning.relocation.costs.break_even import BreakEven
    from planning.relocation.durations import DurationEstimate
    from planning.relocation.write_freeze import Times


_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class NoteForm(TypedDict):
    """A waiver that may be had, a limit of the arithmetic."""

    text: str
    source: str


@with_config(_CLOSED)
class MovingBillForm(TypedDict):
    """What the move costs once."""

    bill: BillForm
    """`usd_per_month` of its lines is USD once: nothing in it is paid by the month."""
    notes: list[NoteForm]


@with_config(_CLOSED)
class DurationForm(TypedDict):
    """A time."""

    seconds: RangeForm | None
    """Whole seconds; null where nobody knows."""
    at_least: bool
    """Whether something in it is not known."""
    basis: str


@with_config(_CLOSED)
class VolumeTimeForm(TypedDict):
    """First copy of one thing."""

    name: str
    kind: str
    span: DurationForm


@with_config(_CLOSED)
class RoundsForm(TypedDict):
    """Copies until the window is met."""

    count: int | None
    """After the first copy; null: never, or not known."""
    last: DurationForm
    words: str


@with_config(_CLOSED)
class FreezePartForm(TypedDict):
    """One thing that writers wait for."""

    step: str
    title: str
    span: DurationForm


@with_config(_CLOSED)
class TimesForm(TypedDict):
    """How long everything takes."""

    volumes: list[VolumeTimeForm]
    seed: DurationForm
    rounds: RoundsForm
    freeze: list[FreezePartForm]
    frozen: DurationForm
    """All parts of the freeze, one after another."""
    window_seconds: int
    fits: Literal["yes", "no", "cannot tell"]
    """Whether the freeze stays within the window, at its longest."""


@with_config(_CLOSED)
class BreakEvenForm(TypedDict):
    """From when the move has paid."""

    verdict: Literal["dated", "never", "cannot tell"]
    earliest: str | None
    expected: str | None
    latest: str | None
    saved_usd_per_month: list[str]
    """Old less new at min, expected and max, in cents; negative where the target is dearer."""
    words: str


def moving_bill_form(moving: MovingBill) -> MovingBillForm:
    return {
        "bill": bill_form(moving.bill),
        "notes": [{"text": each.text, "source": each.source} for each in moving.notes],
    }


def times_form(times: Times) -> TimesForm:
    return {
        "volumes": [{"name": each.name, "kind": each.kind, "span": span_form(each.span)} for each in times.volumes],
        "seed": span_form(times.seed),
        "rounds": {
            "count": times.rounds.count,
            "last": span_form(times.rounds.last),
            "words": times.rounds.words,
        },
        "freeze": [{"step": each.step, "title": each.title, "span": span_form(each.span)} for each in times.freeze],
        "frozen": span_form(times.frozen),
        "window_seconds": times.window_seconds,
        "fits": times.fits,
    }


def span_form(span: DurationEstimate) -> DurationForm:
    seconds = span.seconds
    return {
        "seconds": None
        if seconds is None
        else {"min": _whole(seconds.min), "expected": _whole(seconds.expected), "max": _whole(seconds.max)},
        "at_least": span.at_least,
        "basis": span.basis,
    }


def break_even_form(found: BreakEven) -> BreakEvenForm:
    """A break-even as it is."""
    return {
        "verdict": found.verdict,
        "earliest": _day(found.earliest),
        "expected": _day(found.expected),
        "latest": _day(found.latest),
        "saved_usd_per_month": [str(to_cents(each)) for each in found.saved],
        "words": found.words,
    }


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _whole(seconds: Decimal) -> str:
    return str(round(seconds))


@with_config(_CLOSED)
class RelocationSideForm(TypedDict):
    """One side."""

    stack: str
    provider: str
    region: str
    lock_digest: str
    """Of quote.lock.json: another lock is another plan."""


@with_config(_CLOSED)
class LostForm(TypedDict):
    """Something that a mover loses."""

    feature: str
    count: int | None
    """Objects that have it; null where nobody has looked."""
    text: str
    source: str


@with_config(_CLOSED)
class OtherMoverForm(TypedDict):
    """A mover that was not chosen."""

    name: str
    title: str
    reason: str


@with_config(_CLOSED)
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
    """What would be lost if it is used: nobody has looked."""
    others: list[OtherMoverForm]


@with_config(_CLOSED)
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
    """Null where nobody has looked."""
    objects: RangeForm | None
    sized_by: str
    seen: list[Literal["lock", "plan", "cluster"]]
    mover: MoverForm | None
    """Null for what is not moved, and for what nothing of ours moves."""
    saved_usd: RangeForm | None
    """What its way would cost, where it is left out; null for the rest, and where that is not known."""


@with_config(_CLOSED)
class WayForm(TypedDict):
    """One way in which people move a thing."""

    title: str
    text: str
    """Commands and manifests to fill in."""
    loses: list[str]
    source: str


@with_config(_CLOSED)
class ByHandForm(TypedDict):
    """Something that Atoll does not move by itself: by-hand.yaml confirms it before the run goes on."""

    key: str
    title: str
    why: str
    ways: list[WayForm]


@with_config(_CLOSED)
class UnlookedForm(TypedDict):
    """Something that was not asked."""

    what: str
    why: str


@with_config(_CLOSED)
class CellForm(TypedDict):
    """One cell of the loss matrix."""

    kind: str
    mover: str
    target: str
    feature: str
    carries: Literal["kept", "dropped", "not known"]
    note: str
    source: str


@with_config(_CLOSED)
class RelocationStepForm(TypedDict):
    """A step of the run."""

    name: str
    title: str
    proves: str
    aborts: str
    way_back: str
    frozen: bool
    """Whether writers stand still while it runs."""
    span: DurationForm | None
    """Null where it takes no time worth planning, or where only a rehearsal tells."""


@with_config(_CLOSED)
class QuestionForm(TypedDict):
    """A question and what the plan says to it."""

    question: str
    sentences: list[str]
    known: bool
    source: str


@with_config(_CLOSED)
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
