"""The answer to a checklist: three to five options, each a whole cluster with a whole bill."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

from catalogs.ages import Freshness
from catalogs.catalog import CURRENT
from planning.checklist.model.vocabulary import HOME, Residency
from planning.costs.bill import lock_line
from planning.costs.price_ages import list_ages
from planning.spec.lock import SCHEMA_VERSION
from planning.spec.lock_content import Lock
from planning.values.money import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date
    from decimal import Decimal

    from planning.ceilings.verdict import Judgement
    from planning.costs.bill import Bill
    from planning.costs.price_ages import LineAge
    from planning.sizing.demand import SizingFigure
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock_content import Ceilings
    from planning.values.money import Range


def name_view(view: str) -> str:
    """A view beside the word "option", as in "committed option" and "option without spot"."""
    return "option without spot" if view == "no_spot" else f"{view.replace('_', ' ')} option"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEstimate:
    """What one training or fine-tuning run takes.

    Args:
        hours: wall clock of one run.
        usd: nodes of the pool for that long.
    """

    workload: str
    hours: Decimal
    usd: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolWorth:
    """What the accelerators of one pool cost and are worth.

    Args:
        usd_per_hour: of one node.
        usd_per_gpu_hour: of one accelerator, disks and network not counted.
        usd_per_1000_tflops_hour: at the workload's precision, dense peak; None where the peak is not known.
        big_three_usd_per_gpu_hour: least of AWS, GCP and Azure on demand for the same; None: not sold there.
        flags: what weakens the price ("undated", "sources differ by 12%").
    """

    pool: str
    usd_per_hour: Decimal
    usd_per_gpu_hour: Decimal | None
    usd_per_1000_tflops_hour: Decimal | None
    big_three_usd_per_gpu_hour: Decimal | None
    flags: tuple[str, ...]

    @property
    def versus_big_three_percent(self) -> Decimal | None:
        """By how much an accelerator-hour costs more than at the cheapest hyperscaler; negative: less."""
        if self.usd_per_gpu_hour is None or not self.big_three_usd_per_gpu_hour:
            return None
        return (self.usd_per_gpu_hour / self.big_three_usd_per_gpu_hour - 1) * 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Buying:
    """The same accelerators bought instead of rented, three years (Ntropy, March 2022).

    Args:
        servers: of eight accelerators.
        usd_per_year: average of buying and running them.
        rent_usd_per_year: of the option's GPU pools.
        break_even_month: first month in which buying has cost less in all; None: not within the three years.
        source: where the purchase price is from.
    """

    servers: int
    usd_per_year: Decimal
    rent_usd_per_year: Decimal
    break_even_month: int | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """The same machines bought in the same way at another place: one line under an option.

    Args:
        share: expected cost relative to the option's, 0.003 for "+0.3%"; negative where it is cheaper.
        option_id: id of the full option in the quote, where a view chose this place; "" where there is none.
        views: of that option.
        difference: what its pools have instead, where the place alone does not tell the two apart; else "".
    """

    provider: str
    region: str
    share: Decimal
    option_id: str = ""
    views: tuple[str, ...] = ()
    difference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One complete priced cluster.

    Args:
        id: stable while machines, place and purchase stay: "aws-us-east-1-b200-16-spot".
        views: goals it is the answer to.
        why: one sentence per view.
        rank_usd_per_month: each unpriced line at the highest price known; orders options, is no price.
        placements: one cluster each, the primary one first.
        joined: whether the clusters share their queues.
        leaves_out: what the bill does not cover, in words.
        held_usd_per_month: expected, were the nodes held all month that are priced as used although all were to be
            reserved and that price is not published; None where there are none, or not all of it has a price.
        lock_in: what would hold the customer there.
        buying: None where no purchase price of the accelerator is known.
        recommended: whether the written rule recommends it: one option of a quote, none where none meets the checklist.
        tradeoff: one sentence: why it is recommended, else what speaks for and against it beside the recommended one.
        twins: other places with the same machines and purchase, nearest in cost first.
        twin_of: id of the option under which it is shown as one line; "" where it is an option of its own.
        misses: what of the checklist it does not meet, as "train: 2,821 h of a deadline of 720 h"; such an option is
            shown only where none meets it all.
        guarded_usd_per_month: the most that the spend guard lets through; None without a ceiling or a guard.
        all_nodes_usd_per_month: every node for the whole month; for `explain`, None where it has no price.
        explain_hours: makes the figures of its billed node hours, pool by pool; for `explain`.
    """

    id: str
    views: tuple[str, ...]
    why: tuple[str, ...]
    placements: tuple[ClusterSpec, ...]
    joined: bool
    bill: Bill
    judgement: Judgement
    rank_usd_per_month: Range
    runs: tuple[RunEstimate, ...]
    worth: tuple[PoolWorth, ...]
    buying: Buying | None
    leaves_out: tuple[str, ...]
    lock_in: str
    notes: tuple[str, ...]
    held_usd_per_month: Decimal | None = None
    recommended: bool = False
    tradeoff: str = ""
    twins: tuple[Twin, ...] = ()
    twin_of: str = ""
    misses: tuple[str, ...] = ()
    guarded_usd_per_month: Decimal | None = None
    all_nodes_usd_per_month: Decimal | None = None
    explain_hours: Callable[[], tuple[SizingFigure, ...]] = field(default=tuple, compare=False, repr=False)

    @property
    def spec(self) -> ClusterSpec:
        return self.placements[0]

    @property
    def worth_by_pool(self) -> dict[str, PoolWorth]:
        return {worth.pool: worth for worth in self.worth}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """All options of one checklist on one day.

    Args:
        options: cheapest first by `rank_usd_per_month`.
        reason: why there are fewer than three options, and why a view is missing; "" where nothing is.
        missing_views: view and why it has no option of its own.
        advice: changes to the checklist that bring an option under the ceiling, cheapest first; empty where one is.
        figures: what sizing derived.
        prices: price book, its digest and its newest date; `own_prices` the customer's own over it, "" for none.
        refusals: how many machines or places each reason left out, most first.
        unmet_providers: provider that was asked for, and why it has no option.
        stale: whether its prices were too old on the day on which it was asked for; it may not be signed.
        asked_on: that day, where the prices were judged as of another.
    """

    stack: str
    options: tuple[Option, ...]
    reason: str
    missing_views: Mapping[str, str]
    advice: tuple[str, ...]
    figures: tuple[SizingFigure, ...]
    prices: str
    prices_digest: str
    prices_as_of: date | None
    priced_at: date
    valid_until: date
    checklist_digest: str
    refusals: tuple[tuple[str, int], ...]
    stale: bool = False
    asked_on: date | None = None
    unmet_providers: tuple[tuple[str, str], ...] = ()
    own_prices: str = ""

    @property
    def shown(self) -> tuple[Option, ...]:
        """The options of their own, without those that are a line under another."""
        return tuple(option for option in self.options if not option.twin_of)

    @property
    def oldest_price(self) -> LineAge | None:
        """The oldest price that matters in any option; None where no list sells anything of them."""
        oldest = (next(iter(self.list_ages(option)), None) for option in self.options)
        return max((each for each in oldest if each), key=attrgetter("age_days"), default=None)

    @property
    def aging_prices(self) -> tuple[LineAge, ...]:
        """The prices of all options that are past a limit, each once, the oldest first."""
        past = (age for option in self.options for age in self.list_aging(option))
        once = {(age.provider, age.item, age.age_days): age for age in past}
        return tuple(sorted(once.values(), key=lambda each: -each.age_days))

    def list_aging(self, option: Option) -> tuple[LineAge, ...]:
        """The prices of an option that are past a limit, the oldest first."""
        return tuple(age for age in self.list_ages(option) if age.freshness is not Freshness.FRESH)

    def list_ages(self, option: Option) -> tuple[LineAge, ...]:
        """How old the prices are that matter in an option, the oldest first."""
        providers = {
            "" if not at else each.placement.name: each.placement.provider for at, each in enumerate(option.placements)
        }
        return list_ages(option.bill, today=self._day_of_ages, providers=providers)

    @property
    def _day_of_ages(self) -> date:
        """A dated price book is asked for as it was."""
        as_it_was = None if self.prices == CURRENT else self.prices_as_of
        return as_it_was or self.asked_on or self.priced_at

    @property
    def recommended(self) -> Option:
        """The one that the written rule recommends; the first where a quote of before names none."""
        return next((option for option in self.options if option.recommended), self.options[0])


def calculate_average_nodes(pool: Pool) -> Decimal:
    """Nodes of a pool that are up on average over the month."""
    return pool.node_hours.expected / HOURS_PER_MONTH


def usd_per_node_hour(pool: Pool, bill: Bill, *, placement: str = HOME) -> Decimal | None:
    """What one node of a pool costs for an hour; None where its price is not known."""
    prefix = "" if placement == HOME else f"{placement}/"
    key = f"{prefix}pool/{pool.name}/machine"
    return next((line.usd_per_unit for line in bill.lines if line.key == key), None)


def lock(
    quote: Quote, option: Option, *, ceiling: Ceilings, contract_months: int, residency: str = Residency.ANY
) -> Lock:
    return Lock(
        schema_version=SCHEMA_VERSION,
        stack=quote.stack,
        option=option.id,
        views=option.views,
        checklist_digest=quote.checklist_digest,
        prices=quote.prices,
        prices_digest=quote.prices_digest,
        prices_as_of=quote.prices_as_of,
        priced_at=quote.priced_at,
        valid_until=quote.valid_until,
        ceiling=ceiling,
        contract_months=contract_months,
        placements=option.placements,
        joined=option.joined,
        residency=residency,
        bill=tuple(lock_line(line) for line in option.bill.lines),
    )
