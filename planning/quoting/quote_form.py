"""JSON of quotes, options and figures; `atoll schema --of` publishes its shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import with_config
from typing_extensions import TypedDict

from planning.costs.json_shapes import CLOSED, BillForm, RangeForm, bill_form
from planning.quoting.quote import calculate_average_nodes, usd_per_node_hour
from planning.values.json_format import SCHEMA_VERSION, TEN_THOUSANDTH, decimal_text, fill_form, to_json
from planning.values.money import CENT, round_to, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from planning.ceilings.verdict import Judgement
    from planning.costs.bill import Bill
    from planning.quoting.quote import Option, PoolWorth, Quote
    from planning.sizing.demand import SizingFigure
    from planning.spec.cluster import Pool


@with_config(CLOSED)
class PlacementForm(TypedDict):
    """Where one cluster of the stack is."""

    name: str
    provider: str
    region: str
    zones: list[str]
    target: str


@with_config(CLOSED)
class NodeCountForm(TypedDict):
    """Nodes of a pool."""

    min: int
    """Always up."""
    expected: float
    """Average over the month."""
    max: int
    """With every spare."""


@with_config(CLOSED)
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
    """Negative: cheaper than AWS, Azure and Google Cloud."""
    flags: list[str]
    """What weakens the price."""


@with_config(CLOSED)
class JudgementForm(TypedDict):
    """Is it under the ceiling?"""

    verdict: Literal["within", "over", "undetermined"]
    reason: str
    headroom_usd_per_month: str | None
    """Whole USD that the lines without a price may cost together, for the bill to be within; null where none waits."""


@with_config(CLOSED)
class RunForm(TypedDict):
    """One training or fine-tuning run."""

    workload: str
    hours: str
    usd: str


@with_config(CLOSED)
class BuyingForm(TypedDict):
    """The same accelerators bought instead of rented."""

    servers: int
    usd_per_year: str
    rent_usd_per_year: str
    break_even_month: int | None
    source: str


@with_config(CLOSED)
class TwinForm(TypedDict):
    """The same machines bought in the same way at another place."""

    provider: str
    region: str
    share: str
    """Expected cost relative to the option's: "0.003" is 0.3% more."""
    option_id: str
    """The full option of that place, where a view chose it; else ""."""
    views: list[str]


@with_config(CLOSED)
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


@with_config(CLOSED)
class RefusalForm(TypedDict):
    """Why machines or places were left out, and how many."""

    reason: str
    count: int


@with_config(CLOSED)
class UnmetForm(TypedDict):
    """A provider that was asked for, and why it has no option."""

    provider: str
    reason: str


@with_config(CLOSED)
class PriceAgeForm(TypedDict):
    """How old the price of one line is."""

    label: str
    item: str
    provider: str
    as_of: str | None
    """Day of the price; null where its source has no date."""
    entered: str | None
    """Day on which an undated price entered the catalog."""
    age_days: int
    freshness: Literal["fresh", "stale", "refused"]
    """refused: planned with only where stale prices are allowed."""


@with_config(CLOSED)
class QuoteForm(TypedDict):
    """`atoll quote --json`."""

    schema_version: int
    stack: str
    prices: str
    """Name of the price book."""
    own_prices: str
    """Name of the customer's own over it; empty for none."""
    prices_digest: str
    prices_as_of: str | None
    oldest_price: PriceAgeForm | None
    """The oldest one that makes up a hundredth of an option, or that is past a limit."""
    aging_prices: list[PriceAgeForm]
    """Every one that is past a limit, the oldest first."""
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


@with_config(CLOSED)
class TermForm(TypedDict):
    """One term of a formula."""

    name: str
    value: str


@with_config(CLOSED)
class FigureForm(TypedDict):
    """One number and the reason for it."""

    subject: str
    name: str
    value: str | None
    unit: str
    formula: str
    inputs: list[TermForm]
    source: str


@with_config(CLOSED)
class ExplainForm(TypedDict):
    """`atoll explain --json`."""

    schema_version: int
    stack: str
    figures: list[FigureForm]


def quote_form(quote: Quote) -> QuoteForm:
    """`atoll quote --json`."""
    return fill_form(
        QuoteForm,
        quote,
        schema_version=SCHEMA_VERSION,
        options=[option_form(option) for option in quote.options],
        oldest_price=quote.oldest_price and fill_form(PriceAgeForm, quote.oldest_price),
        aging_prices=[fill_form(PriceAgeForm, each) for each in quote.aging_prices],
        refusals=[{"reason": reason, "count": count} for reason, count in quote.refusals],
        unmet_providers=[{"provider": name, "reason": reason} for name, reason in quote.unmet_providers],
    )


def option_form(option: Option) -> OptionForm:
    """One option with its whole bill."""
    worth = option.worth_by_pool
    return fill_form(
        OptionForm,
        option,
        twins=[fill_form(TwinForm, twin, share=_format_rate(twin.share)) for twin in option.twins],
        placements=[fill_form(PlacementForm, spec.placement) for spec in option.placements],
        pools=[
            _pool_form(pool, worth=worth.get(pool.name), bill=option.bill, placement=spec.placement.name)
            for spec in option.placements
            for pool in spec.pools
        ],
        bill=bill_form(option.bill),
        guarded_usd_per_month=_format_cents(option.guarded_usd_per_month),
        all_nodes_usd_per_month=_format_cents(option.all_nodes_usd_per_month),
        verdict=judgement_form(option.judgement),
        runs=[
            fill_form(RunForm, run, hours=_format_rate(run.hours), usd=_format_cents(run.usd)) for run in option.runs
        ],
        buying=option.buying
        and fill_form(
            BuyingForm,
            option.buying,
            usd_per_year=_format_cents(option.buying.usd_per_year),
            rent_usd_per_year=_format_cents(option.buying.rent_usd_per_year),
        ),
    )


def judgement_form(judgement: Judgement) -> JudgementForm:
    return fill_form(JudgementForm, judgement)


def explain_form(stack: str, figures: Iterable[SizingFigure]) -> ExplainForm:
    """`atoll explain --json`."""
    return {"schema_version": SCHEMA_VERSION, "stack": stack, "figures": [_figure_form(figure) for figure in figures]}


def _figure_form(figure: SizingFigure) -> FigureForm:
    inputs = [{"name": name, "value": value} for name, value in figure.inputs]
    return fill_form(FigureForm, figure, inputs=inputs)


def _pool_form(pool: Pool, *, worth: PoolWorth | None, bill: Bill, placement: str) -> PoolForm:
    average = float(round_to(calculate_average_nodes(pool), CENT))
    return fill_form(
        PoolForm,
        pool,
        placement=placement,
        nodes={"min": pool.min_nodes, "expected": average, "max": pool.max_nodes},
        usd_per_hour=to_json(usd_per_node_hour(pool, bill, placement=placement)),
        usd_per_gpu_hour=_format_rate(worth and worth.usd_per_gpu_hour),
        usd_per_1000_tflops_hour=_format_rate(worth and worth.usd_per_1000_tflops_hour),
        big_three_usd_per_gpu_hour=_format_rate(worth and worth.big_three_usd_per_gpu_hour),
        versus_big_three_percent=_format_rate(worth and worth.versus_big_three_percent),
        flags=list(worth.flags) if worth else [],
    )


def _format_cents(usd: Decimal | None) -> str | None:
    return None if usd is None else str(to_cents(usd))


def _format_rate(value: Decimal | None) -> str | None:
    """Rates and hours, which are quotients, to a ten-thousandth."""
    return None if value is None else decimal_text(round_to(value, TEN_THOUSANDTH))
