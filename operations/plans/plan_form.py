"""Shapes of the JSON of a plan and of `atoll watch`; `atoll schema --of plan` publishes the plan's."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict, JsonValue, with_config
from typing_extensions import TypedDict

from planning.costs.json_shapes import BillForm, RangeForm  # noqa: TC001 - pydantic reads the annotations
from planning.diff.form import AmountForm, DeltaForm, ExemptionForm, FoundForm, JudgedForm  # noqa: TC001 - as above
from planning.platform.digests import LeftOutForm, PinnedForm  # noqa: TC001 - as above
from planning.quoting.quote_form import JudgementForm  # noqa: TC001 - as above

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class ResourceForm(TypedDict):
    """One registration of the program."""

    urn: str
    type: str
    name: str
    parent: str | None
    custom: bool
    inputs: dict[str, JsonValue]
    """Unknown values as {"$ref": urn, "property": name} or {"$unknown": true}, secrets as {"$secret": true}."""
    dependencies: list[str]
    propertyDependencies: dict[str, list[str]]
    provider: str | None
    protect: bool
    retain_on_delete: bool


@with_config(_CLOSED)
class BillDifferenceForm(TypedDict):
    """A line on which the bill and the takeoff do not agree; null: the line is missing there."""

    key: str
    bill_usd_per_month: RangeForm | None
    takeoff_usd_per_month: RangeForm | None
    reason: str


@with_config(_CLOSED)
class PlanForm(TypedDict):
    """`atoll plan --json`."""

    schema_version: int
    stack: str
    option: str
    config: dict[str, str]
    resources: list[ResourceForm]
    software: list[PinnedForm]
    """Every part of the platform that is installed."""
    not_installed: list[LeftOutForm]
    """Every part that is not, and why."""
    counts: dict[str, int]
    """Resources by type."""
    bill: BillForm
    """Counted from the resources."""
    differences: list[BillDifferenceForm]
    """Empty where the resources cost, to the cent, as much as the accepted cluster."""
    verdict: JudgementForm
    """Of the ceiling alone."""
    policies: list[FoundForm]
    """Policy results."""
    exemptions: list[ExemptionForm]


@with_config(_CLOSED)
class MovedPriceForm(TypedDict):
    """A line of the accepted bill whose price is another one today."""

    key: str
    label: str
    usd_per_unit: list[str]
    """As accepted, today; "" where it is not known."""
    unit: str
    delta: DeltaForm


@with_config(_CLOSED)
class WatchedForm(TypedDict):
    """One running stack."""

    stack: str
    failure: str
    """Why nothing is known of it; "" where something is."""
    accepted_on: str
    accepted: AmountForm | None
    """As the lock has it."""
    repriced: AmountForm | None
    """The accepted cluster at today's prices."""
    running: AmountForm | None
    """What the state holds, at today's prices."""
    by_prices: DeltaForm | None
    """`repriced` less `accepted`: the same cluster, other prices."""
    by_resources: DeltaForm | None
    """`running` less `repriced`: other resources than were accepted."""
    moved_prices: list[MovedPriceForm]
    """The largest change first."""
    differences: list[BillDifferenceForm]
    """Lines on which the state and the accepted cluster do not agree, both at today's prices."""
    verdict: JudgedForm | None
    breaches: list[FoundForm]
    exemptions: list[ExemptionForm]
    notes: list[str]
    """What could not be judged, and why."""


@with_config(_CLOSED)
class WatchForm(TypedDict):
    """`atoll watch --json`."""

    schema_version: int
    day: str
    prices: str
    prices_as_of: str | None
    stacks: list[WatchedForm]
    exit_code: int
    """The worst of all stacks."""
