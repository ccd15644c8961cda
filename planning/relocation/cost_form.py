"""JSON of what a relocation costs and how long it takes; shapes and builders side by side, they are small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.costs.json_shapes import BillForm, RangeForm  # noqa: TC001 - pydantic reads it at run time
from planning.quoting.quote_form import bill_form
from planning.values.money import to_cents

if TYPE_CHECKING:
    from datetime import date
    from decimal import Decimal

    from planning.relocation.costs.bill import MovingBill
    from planning.relocation.costs.break_even import BreakEven
    from planning.relocation.durations import Span
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
class SpanForm(TypedDict):
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
    span: SpanForm


@with_config(_CLOSED)
class RoundsForm(TypedDict):
    """Copies until the window is met."""

    count: int | None
    """After the first copy; null: never, or not known."""
    last: SpanForm
    words: str


@with_config(_CLOSED)
class FreezePartForm(TypedDict):
    """One thing that writers wait for."""

    step: str
    title: str
    span: SpanForm


@with_config(_CLOSED)
class TimesForm(TypedDict):
    """How long everything takes."""

    volumes: list[VolumeTimeForm]
    seed: SpanForm
    rounds: RoundsForm
    freeze: list[FreezePartForm]
    frozen: SpanForm
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
    """A moving bill as it is."""
    return {
        "bill": bill_form(moving.bill),
        "notes": [{"text": each.text, "source": each.source} for each in moving.notes],
    }


def times_form(times: Times) -> TimesForm:
    """Times as they are."""
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


def span_form(span: Span) -> SpanForm:
    """A time as it is."""
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
