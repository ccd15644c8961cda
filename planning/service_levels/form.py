"""Shapes of the JSON of a month's report; `atoll schema --of sla` publishes them.

Money, hours and percentages are decimals in strings. An unknown amount is null, never 0.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)
Verdict = Literal["met", "below", "short", "undetermined"]
PartVerdict = Literal["met", "below", "short", "undetermined", "not counted"]
PromisedFrom = Literal["lock", "checklist", "promises"]


@with_config(_CLOSED)
class TwoForm(TypedDict):
    """Two readings of one amount: unmeasured time counted as up, and as down."""

    if_up: str
    if_down: str


@with_config(_CLOSED)
class CreditStepForm(TypedDict):
    """A row of the table of credits."""

    below_percent: str
    credit_percent: str


@with_config(_CLOSED)
class ShortfallPeriodForm(TypedDict):
    """A period in which not everything committed is known to have been delivered."""

    start: str
    """First moment, UTC."""
    end: str
    """First moment after it, UTC."""
    start_second: int
    """Since the month began."""
    end_second: int
    standing: Literal["short", "excluded", "not known", "before"]
    owed: str
    """Committed nodes, or 1 for a part without nodes."""
    delivered: str | None
    """Of those; null in unmeasured time."""
    hours: str


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
    """Rounded half up to cents; null where a credit is due and the line has no price."""


@with_config(_CLOSED)
class HoursForm(TypedDict):
    """Node-hours of a pool; hours of other parts."""

    owed: str
    """Committed."""
    short: str
    """Committed and not delivered, and not excluded."""
    excluded: str
    """Committed and not delivered within an exclusion, which is not counted as a failure."""
    not_known: str
    """Maximum commitment in unmeasured time."""


@with_config(_CLOSED)
class PartForm(TypedDict):
    """One part of the cluster."""

    key: str
    title: str
    kind: Literal["nodes", "fabric", "storage", "control_plane"]
    series: list[str]
    """Series that its availability is calculated from."""
    recorded: bool
    """Whether its series has at least one sample in the month."""
    verdict: PartVerdict
    """Below: less than promised, and no credit is certain. Not counted: the annex grants no credit for it."""
    promised_percent: str | None
    """Availability promised beside the table of credits; null without a promise."""
    attained_percent: TwoForm | None
    """Availability, rounded down; null where nothing was committed, or where a part not counted was not recorded."""
    hours: HoursForm
    credit_percent: TwoForm
    lines: list[SlaLineForm]
    credit_usd: TwoForm
    """Of the lines that have a price."""
    unusable_usd: TwoForm | None
    """Cost of node-hours that were paid for and could not be used; null without a price or nodes."""
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
    """Why it is refused; "" where it is accepted."""


@with_config(_CLOSED)
class SlaForm(TypedDict):
    """`atoll sla --json`."""

    schema_version: int
    stack: str
    month: str
    days: str
    over: bool
    """Whether the month had ended on the day of the report; remaining time counts as not known."""
    counted_from: str | None
    """Day on which the work began, if within the month."""
    reckoned_on: str
    source: str
    """Origin of the samples."""
    step_seconds: int
    table_from: Literal["agreement", "promises"]
    table: list[CreditStepForm]
    promised_from: PromisedFrom
    """Origin of the promised availability."""
    verdict: Verdict
    parts: list[PartForm]
    exclusions: list[ExclusionForm]
    credit_usd: TwoForm
    """Every line of the bill once, at the largest credit of the parts that it belongs to."""
    untold: list[str]
    """Keys of lines without a price for which a credit may be due: with any, the credit is a lower bound."""
    not_recorded: list[str]
    """Additional placements, on which no series are recorded."""
    notes: list[str]
