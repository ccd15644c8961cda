"""Shapes of `atoll watch --json`: what runs, against today's prices, the accepted cluster and the rules.

Money is decimals in strings, never floats. An amount that nobody knows is null, never 0.
"""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from operations.plans.plan_form import BillDifferenceForm  # noqa: TC001 - as above
from planning.diff.form import AmountForm, DeltaForm, ExemptionForm, FoundForm, JudgedForm  # noqa: TC001 - pydantic reads them at run time  # noqa: TC001 - as above

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class MovedPriceForm(TypedDict):
    """A line of the accepted bill whose price is another one today."""

    key: str
    label: str
    usd_per_unit: list[str]
    """As accepted, today; "" where nobody knows."""
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
    """The dearest movement first."""
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
