"""Shapes of the JSON that commands print; `atoll schema --of` publishes them.

Money and quantities are decimals in strings, so that no reader turns them into floats.
A price that nobody knows is null, never 0.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class RangeForm(TypedDict):
    """Three readings of one quantity or amount, rising."""

    min: str
    expected: str
    max: str


@with_config(_CLOSED)
class NodeCountForm(TypedDict):
    """Nodes of a pool."""

    min: int
    """Always up."""
    expected: float
    """Average over the month."""
    max: int
    """With every spare."""


@with_config(_CLOSED)
class LineForm(TypedDict):
    """One line of a bill."""

    key: str
    """Stable inside one bill."""
    label: str
    group: str
    item: str
    """Machine, or a word of the price list."""
    state: Literal["priced", "free", "unpriced"]
    quantity: RangeForm
    """Units a month."""
    unit: str
    usd_per_unit: str | None
    usd_per_month: RangeForm | None
    """Not rounded; null where nobody knows the price."""
    source: str
    as_of: str | None
    """Day of the price; null where its source has no date."""
    note: str


@with_config(_CLOSED)
class UnpricedForm(TypedDict):
    """Something that costs money, nobody knows how much."""

    key: str
    label: str
    reason: str


@with_config(_CLOSED)
class BillForm(TypedDict):
    """Every line and their sum."""

    lines: list[LineForm]
    usd_per_month: RangeForm
    """Sum of the priced lines, in cents: a floor while `unpriced` is not empty."""
    unpriced: list[UnpricedForm]


@with_config(_CLOSED)
class JudgementForm(TypedDict):
    """Is it under the ceiling?"""

    verdict: Literal["within", "over", "cannot tell"]
    reason: str


@with_config(_CLOSED)
class PlacementForm(TypedDict):
    """Where one cluster of the stack is."""

    name: str
    provider: str
    region: str
    zones: list[str]
    target: str


@with_config(_CLOSED)
class PoolForm(TypedDict):
    """Equal nodes of one offer."""

    placement: str
    name: str
    role: Literal["system", "cpu", "gpu"]
    workload: str | None
    machine: str
    accelerator: str | None
    accelerators: int
    """Per node."""
    nodes: NodeCountForm
    purchase: str
    usd_per_hour: str | None
    """Of one node."""
    usd_per_gpu_hour: str | None
    usd_per_1000_tflops_hour: str | None
    """At the workload's precision, dense peak."""
    big_three_usd_per_gpu_hour: str | None
    """Least of AWS, GCP and Azure on demand for the same accelerator."""
    versus_big_three_percent: str | None
    """Negative: cheaper than the big three."""
    flags: list[str]
    """What weakens the price."""


@with_config(_CLOSED)
class RunForm(TypedDict):
    """One training or fine-tuning run."""

    workload: str
    hours: str
    usd: str


@with_config(_CLOSED)
class BuyingForm(TypedDict):
    """The same accelerators bought instead of rented."""

    servers: int
    usd_per_year: str
    rent_usd_per_year: str
    break_even_month: int | None
    source: str


@with_config(_CLOSED)
class TwinForm(TypedDict):
    """The same machines bought in the same way at another place."""

    provider: str
    region: str
    share: str
    """Expected cost relative to the option's: "0.003" is 0.3% more."""
    option_id: str
    """The full option of that place, where a view chose it; else ""."""
    views: list[str]


@with_config(_CLOSED)
class OptionForm(TypedDict):
    """One complete priced cluster."""

    id: str
    views: list[str]
    why: list[str]
    recommended: bool
    """By the written rule; of one option."""
    tradeoff: str
    """Why it is recommended, else what it gains and loses against the recommended one."""
    twins: list[TwinForm]
    twin_of: str
    """The option under which it is one line; "" for an option of its own."""
    misses: list[str]
    """What of the checklist it does not meet."""
    placements: list[PlacementForm]
    joined: bool
    pools: list[PoolForm]
    bill: BillForm
    guarded_usd_per_month: str | None
    """The most that the spend guard lets through; null without a ceiling or a guard."""
    all_nodes_usd_per_month: str | None
    """Every node for the whole month; null where it has no price."""
    rank_usd_per_month: RangeForm
    verdict: JudgementForm
    runs: list[RunForm]
    buying: BuyingForm | None
    leaves_out: list[str]
    lock_in: str
    notes: list[str]


@with_config(_CLOSED)
class RefusalForm(TypedDict):
    """Why machines or places were left out, and how many."""

    reason: str
    count: int


@with_config(_CLOSED)
class UnmetForm(TypedDict):
    """A provider that was asked for, and why it has no option."""

    provider: str
    reason: str


@with_config(_CLOSED)
class QuoteForm(TypedDict):
    """`atoll quote --json`."""

    schema_version: int
    stack: str
    prices: str
    """Name of the price book."""
    prices_digest: str
    prices_as_of: str | None
    priced_at: str
    valid_until: str
    checklist_digest: str
    options: list[OptionForm]
    reason: str
    """Why there are fewer than three options."""
    missing_views: dict[str, str]
    advice: list[str]
    """Changes to the checklist that bring an option under the ceiling."""
    refusals: list[RefusalForm]
    unmet_providers: list[UnmetForm]


@with_config(_CLOSED)
class TermForm(TypedDict):
    """One term of a formula."""

    name: str
    value: str


@with_config(_CLOSED)
class FigureForm(TypedDict):
    """One number and the reason for it."""

    subject: str
    name: str
    value: str | None
    unit: str
    formula: str
    inputs: list[TermForm]
    source: str


@with_config(_CLOSED)
class ExplainForm(TypedDict):
    """`atoll explain --json`."""

    schema_version: int
    stack: str
    figures: list[FigureForm]


@with_config(_CLOSED)
class TakenForm(TypedDict):
    """One resource, counted and priced."""

    urn: str
    type: str
    state: Literal["priced", "free", "unpriced"]
    usd_per_month: RangeForm | None
    reason: str
    """The rule by which it is free."""
    lines: list[LineForm]


@with_config(_CLOSED)
class PriceSideForm(TypedDict):
    """A stack before or after."""

    usd_per_month: RangeForm
    unpriced: list[LineForm]


@with_config(_CLOSED)
class PriceForm(TypedDict):
    """`atoll price --json`."""

    stack: str
    resources: list[TakenForm]
    old: PriceSideForm | None
    """Null where the file does not say what exists."""
    new: PriceSideForm
    notes: list[str]
    judgement: JudgementForm | None
    """Null without --ceiling."""
