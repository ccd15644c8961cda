"""Rules about single prices: accelerator-hours, outdated prices, and unpriced resources."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from pydantic import Field

from catalogs.ages import MACHINE_AGE, SERVICE_AGE, age_days, start_of_age
from planning.checklist.model.vocabulary import HOME
from planning.costs.bill import BillGroup, placement_of
from planning.costs.estimates import EstimateUse
from planning.costs.price_ages import describe_start, list_refused_lines, name_refresh
from planning.costs.resources.counters import counter_of
from planning.spec.lock_content import State
from planning.values.errors import UndeterminedError
from planning.values.money import round_to
from planning.values.verdict import Verdict
from policies.rule import MONEY, OLD_PRICES, Breach, Rule, Severity
from policies.rules.money.spend_limits import MayStayUnpriced, at_least, lines_of, usd
from policies.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.model import Machine
    from planning.costs.bill import LineItem
    from policies.stack_context import StackContext

EXACT: Final = Decimal("1e-9")  # USD: finer than any price list, coarser than what division leaves


@dataclass(frozen=True, slots=True)
class Hour:
    """A line of machines; `usd` is the cost of one accelerator-hour, None where it is unknown."""

    urn: str
    line: LineItem
    usd: Decimal | None
    accelerators: int = 0


def hours(subject: StackContext) -> Iterator[Hour]:
    """Every line of machines that have accelerators, or that may have some."""
    for urn, _, line in lines_of(subject):
        if line.group is not BillGroup.COMPUTE or line.state is State.FREE:
            continue
        machine = _machine(subject, line)
        if machine is None or (machine.accelerators and line.usd_per_unit is None):
            yield Hour(urn, line, None)
        elif machine.accelerators:
            yield Hour(urn, line, _usd_per_hour(line) / machine.accelerators, machine.accelerators)


def _machine(subject: StackContext, line: LineItem) -> Machine | None:
    """The machine of a line: of its cluster's provider, else of any provider with one of that name."""
    place = placement_of(line.key) or HOME
    providers = [spec.placement.provider for spec in subject.lock.placements if spec.placement.name == place]
    machines = subject.catalog.machines
    # Another provider's machine of that name may stand in, with the fewest accelerators: the price of each must not
    # look lower than it may be.
    here = next((machines[each, line.item] for each in providers if (each, line.item) in machines), None)
    others = (machine for (_, name), machine in machines.items() if name == line.item)
    return here or max(others, key=lambda machine: -machine.accelerators, default=None)


def _usd_per_hour(line: LineItem) -> Decimal:
    """Of one node; where several purchases are possible, of the most expensive."""
    unit, month = line.usd_per_unit, line.usd_per_month
    if unit is None or month is None:
        raise ValueError(f"{line.key} has no price")
    return max(unit, round_to(month.max / line.quantity.max, EXACT)) if line.quantity.max > 0 else unit


def _judge_hours(subject: StackContext) -> Iterator[Breach]:
    limit = subject.ceilings.usd_per_gpu_hour
    if limit is None:
        return
    words = f"the ceiling is {usd(limit)} per accelerator and hour"
    for each in hours(subject):
        if each.usd is None:
            yield Breach(
                verdict=Verdict.UNDETERMINED,
                urn=each.urn,
                given=f"the cost of an accelerator of {each.line.label} is unknown: {each.line.note or 'no machine'}",
                limit=words,
                fix="Write the machine type as a plain value, and give it a price (--price-book FILE) if it has none",
            )
        elif each.usd > limit:
            node = limit * each.accelerators
            yield Breach(
                verdict=Verdict.OVER,
                urn=each.urn,
                given=f"an accelerator of {each.line.item} costs up to {usd(each.usd)} an hour",
                limit=words,
                fix=f"Take a machine or a purchase of at most {usd(node)} an hour for {each.accelerators} accelerators,"
                f" or raise ceiling.usd_per_gpu_hour to at least {at_least(each.usd)}",
            )


GPU_HOUR_CEILING = Rule(
    name="gpu-hour-ceiling",
    title="Accelerator-hour ceiling",
    demand="No accelerator costs more per hour than ceiling.usd_per_gpu_hour.",
    why="The same accelerator costs several times as much at some providers and purchase options as at others.",
    remedy="Accept an option with a cheaper machine or purchase, or have the budget owner raise "
    "ceiling.usd_per_gpu_hour.",
    severity=Severity.HIGH,
    judge=_judge_hours,
    exit_code=MONEY,
)


SHOWN: Final = 3


class PriceAge(Settings):
    machine_days: int = Field(default=MACHINE_AGE.refused_days, ge=1)
    """Days since the price of a machine was true, or since it entered the catalog where it has no date."""
    service_days: int = Field(default=SERVICE_AGE.refused_days, ge=1)
    """Days since any other price was true, or entered the catalog."""


def _judge_age(subject: StackContext) -> Iterator[Breach]:
    limits = subject.law.get(PriceAge)
    oldest_first = list_refused_lines(
        subject.bill, today=subject.today, machine_days=limits.machine_days, service_days=limits.service_days
    )
    if not oldest_first:
        return
    named = [
        f"{line.item} is {age_days(start_of_age(line), today=subject.today)} days old ({describe_start(line)})"
        for line in oldest_first[:SHOWN]
    ]
    more = f", and {len(oldest_first) - SHOWN} more" if len(oldest_first) > SHOWN else ""
    providers = (each.placement.provider for each in subject.lock.placements)
    yield Breach(
        verdict=Verdict.OVER,
        given=f"the price of {', of '.join(named)}{more}",
        limit=f"a machine's price may be {limits.machine_days} days old, any other {limits.service_days}",
        fix=f"Bring newer prices ({name_refresh(providers)}), or give those that you pay (--price-book FILE)",
    )


PRICE_AGE = Rule(
    name="price-age",
    title="Age of prices",
    demand="No price is older than the limit of its kind; one without a date is as old as its row in the catalog.",
    why="A verdict calculated with last year's prices says nothing about this month's bill.",
    remedy="Bring newer prices with `atoll catalog refresh`, or give the prices that you pay with --price-book.",
    severity=Severity.HIGH,
    judge=_judge_age,
    settings=PriceAge,
    exit_code=OLD_PRICES,
)


class EstimatesAllowed(Settings):
    estimates: EstimateUse = EstimateUse.ALLOWED
    """Whether a price may be estimated: "allowed", or "none"."""


def _judge_estimates(subject: StackContext) -> Iterator[Breach]:
    if subject.law.get(EstimatesAllowed).estimates is EstimateUse.ALLOWED:
        return
    for urn, _, line in lines_of(subject):
        if line.state is State.ESTIMATED:
            yield Breach(
                verdict=Verdict.OVER,
                urn=urn,
                given=f"the price of {line.label} is {line.note}",
                limit="no price may be an estimate",
                fix="Give it a price (--price-book FILE), or set estimates of the rule estimates to allowed",
            )


ESTIMATES = Rule(
    name="estimates",
    title="Estimated prices",
    demand="No price is an estimate, where the project allows none.",
    why="An estimate is wrong in a known share of cases, and some budgets have to wait for the price.",
    remedy="Give the price with --price-book, or allow estimates in stacks/policies.yaml.",
    severity=Severity.HIGH,
    judge=_judge_estimates,
    settings=EstimatesAllowed,
    exit_code=UndeterminedError.exit_code,
)


LIMIT = "every registered resource has a price or a stated upper bound"


def _judge_unpriced(subject: StackContext) -> Iterator[Breach]:
    stated = subject.law.get(MayStayUnpriced)
    for urn, type_, line in lines_of(subject):
        unbounded = line.at_most_usd_per_month is None and stated.bound(line) is None
        if line.state is State.UNPRICED and unbounded:
            yield _breach(urn, type_, line)


def _breach(urn: str, type_: str, line: LineItem) -> Breach:
    """A resource type without a cost model breaks the rule; a missing value or price is undetermined."""
    stated = f'"{line.item}" in at_most_usd_per_month of the rule unpriced'
    if type_ and counter_of(type_) is None:
        return Breach(
            verdict=Verdict.OVER,
            urn=urn,
            given=f"the cost of a resource of type {type_} cannot be calculated",
            limit=LIMIT,
            fix=f"Remove it, or state its upper bound for a month: {stated}",
        )
    return Breach(
        verdict=Verdict.UNDETERMINED,
        urn=urn,
        given=f"no price is known for {line.label}: {line.note or 'no reason is known'}",
        limit=LIMIT,
        fix="Give it a price (--price-book FILE), write the property as a plain value, or state its upper bound for a "
        f"month: {stated}",
    )


UNPRICED = Rule(
    name="unpriced",
    title="Unpriced resources",
    demand="Every registered resource has a price, is free of charge, or has a stated upper bound.",
    why="Without a price it would count as zero in every other rule, and still be on the bill.",
    remedy="Give the price with --price-book, or state an upper bound in stacks/policies.yaml, which every ceiling "
    "then counts.",
    severity=Severity.HIGH,
    judge=_judge_unpriced,
    settings=MayStayUnpriced,
    exit_code=UndeterminedError.exit_code,
)
