"""Shapes of the JSON of a relocation's plan; `atoll schema --of relocation` publishes them."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.costs.json_shapes import RangeForm  # noqa: TC001 - pydantic reads the annotations
from planning.relocation.cost_form import (  # noqa: TC001 - as above
    BreakEvenForm,
    MovingBillForm,
    NoteForm,
    SpanForm,
    TimesForm,
)

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class SideForm(TypedDict):
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
class StepForm(TypedDict):
    """A step of the run."""

    name: str
    title: str
    proves: str
    aborts: str
    way_back: str
    frozen: bool
    """Whether writers stand still while it runs."""
    span: SpanForm | None
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
    source: SideForm
    target: SideForm
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
    steps: list[StepForm]
    point_of_no_return: str
    questions: list[QuestionForm]
    notes: list[NoteForm]
    """What was assumed, and what people do by hand."""
    digest: str
    """SHA-256 over everything else, in canonical text; `atoll relocate run` holds it."""
