"""Shapes of the JSON of a month's report; `atoll schema --of sla` publishes them.

Money, hours and percentages are decimals in strings. What nobody can tell is null, never 0.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)
Verdict = Literal["met", "below", "short", "cannot tell"]
PartVerdict = Literal["met", "below", "short", "cannot tell", "not counted"]
PromisedFrom = Literal["lock", "checklist", "promises"]


@with_config(_CLOSED)
class TwoForm(TypedDict):
    """Two readings of one amount: what nobody measured counted as up, and as down."""

    if_up: str
    if_down: str


@with_config(_CLOSED)
class CreditStepForm(TypedDict):
    """A row of the table of credits."""

    below_percent: str
    credit_percent: str


@with_config(_CLOSED)
class ShortfallPeriodForm(TypedDict):
    """A stretch of the month in which not everything that was owed was known to be there."""

    start: str
    """First moment, UTC."""
    end: str
    """First moment after it, UTC."""
    start_second: int
    """Since the month began."""
    end_second: int
    standing: Literal["short", "excluded", "not known", "before"]
    owed: str
    """Nodes, or 1 for what there is one of."""
    delivered: str | None
    """Of those; null where nobody measured."""
    hours: str
    """How long it was."""


@with_config(_CLOSED)
class SlaLineForm(TypedDict):
    """A line of the bill that belongs to a part."""

    key: str
    label: str
    index: int
    """In the lock's bill."""
    charge_usd: TwoForm | None
    """Of this month; null where the line has no price."""
    credit_usd: TwoForm | None
    """Rounded half up to cents; null where nobody can tell."""


@with_config(_CLOSED)
class HoursForm(TypedDict):
    """Node-hours of a pool; hours of what there is one of."""

    owed: str
    short: str
    """Owed and not there, and not excluded."""
    excluded: str
    """Owed and not there within an exclusion, which is not counted as a failure."""
    not_known: str
    """Owed at most while nobody measured."""


@with_config(_CLOSED)
class PartForm(TypedDict):
    """One part of the cluster."""

    key: str
    title: str
    kind: Literal["nodes", "fabric", "storage", "control_plane"]
    series: list[str]
    """Series that it is reckoned from."""
    recorded: bool
    """Whether there is a single sample of what was delivered."""
    verdict: PartVerdict
    """Below: less than was promised, and no credit is sure. Not counted: the annex owes none for a month of it."""
    promised_percent: str | None
    """Share of the month that is promised of it beside the table of credits; null where none is."""
    attained_percent: TwoForm | None
    """Rounded down; null where nothing was owed, or of what is not counted nothing was recorded."""
    hours: HoursForm
    credit_percent: TwoForm
    lines: list[SlaLineForm]
    credit_usd: TwoForm
    """Of the lines that have a price."""
    unusable_usd: TwoForm | None
    """What the node-hours cost that were paid for and could not be used; null where it is no pool, or has no price."""
    spans: list[ShortfallPeriodForm]


@with_config(_CLOSED)
class ExclusionForm(TypedDict):
    """An exclusion of the file."""

    cause: Literal["maintenance", "customer", "force_majeure"]
    component: str
    start: str
    end: str
    reason: str
    notice_at: str | None
    refused: str
    """Why it does not hold; "" where it does."""


@with_config(_CLOSED)
class SlaForm(TypedDict):
    """`atoll sla --json`."""

    schema_version: int
    stack: str
    month: str
    days: str
    over: bool
    """Whether the month had ended on the day of the report; what had not yet been counts as not known."""
    counted_from: str | None
    """Day on which the work began, where that is within the month."""
    reckoned_on: str
    source: str
    """Where the samples are from."""
    step_seconds: int
    table_from: Literal["agreement", "promises"]
    table: list[CreditStepForm]
    promised_from: PromisedFrom
    """Where the promised share of the month stands."""
    verdict: Verdict
    parts: list[PartForm]
    exclusions: list[ExclusionForm]
    credit_usd: TwoForm
    """Every line of the bill once, at the largest credit of the parts that it belongs to."""
    untold: list[str]
    """Keys of lines without a price of which something may be owed back: the credit is a floor while there are any."""
    not_recorded: list[str]
    """Placements on which nothing is recorded."""
    notes: list[str]
