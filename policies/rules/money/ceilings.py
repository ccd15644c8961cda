"""Rules about monthly cost: ceilings of the stack, its contract and its components, and growth."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from planning.ceilings.verdict import Interval, describe_unpriced, of_lines
from planning.costs.bill import DEPTHS, component_of, has_placement, in_part
from planning.spec.lock import sum_accepted_usd
from planning.spec.lock_content import State
from planning.values.verdict import Verdict
from policies.rule import MONEY, Breach, Rule, Severity
from policies.rules.money.spend_limits import (
    READINGS,
    Usd,
    at_least,
    bill_of,
    check_limit,
    find_cheapest_fix,
    months_of,
    price_month,
    usd,
    whole_month,
)
from policies.settings import Level, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planning.costs.bill import Bill
    from policies.stack_context import StackContext


def _hold(
    subject: StackContext,
    month: Interval,
    limit: Decimal,
    *,
    what: str,
    limit_words: str,
    raised: str,
    amount_of: Callable[[Bill], Decimal],
    part: str = "",
) -> Iterator[Breach]:
    found = check_limit(
        month,
        limit,
        what=what,
        reading=subject.ceilings.binds,
        limit_words=limit_words,
        fix=lambda verdict: find_cheapest_fix(subject, limit, month, verdict, raised=raised, of=amount_of),
        bill=bill_of(subject),
        part=part,
    )
    if found:
        yield found


def _judge_month(subject: StackContext) -> Iterator[Breach]:
    limit = subject.ceilings.usd_per_month
    if limit is None:
        return
    month = price_month(subject)
    yield from _hold(
        subject,
        month,
        limit,
        what="a month",
        limit_words=f"the ceiling is {usd(limit)} a month",
        raised=f"raise ceiling.usd_per_month to at least {at_least(month.high or month.low)}",
        amount_of=whole_month(subject),
    )


MONTHLY_CEILING = Rule(
    name="monthly-ceiling",
    title="Monthly ceiling",
    demand="A month costs no more than the ceiling, at the estimate (min, expected or max) that ceiling.binds names.",
    why="A cluster that outgrows its budget is noticed on the bill, after the money is spent.",
    remedy="Reduce what the finding names, accept a cheaper option, or have the budget owner raise "
    "ceiling.usd_per_month in the checklist and accept again.",
    severity=Severity.CRITICAL,
    judge=_judge_month,
    exit_code=MONEY,
)


def _judge_contract(subject: StackContext) -> Iterator[Breach]:
    # A contract of no months has no total. One-off charges are spread over the months already.
    whole, months = subject.ceilings.usd_per_contract, months_of(subject)
    if whole is None or not months:
        return
    month, limit = price_month(subject), whole / months
    found = _hold(
        subject,
        month,
        limit,
        what="a month",
        limit_words=f"the ceiling is {usd(whole)} for {months} months, which is {usd(limit)} a month",
        raised=f"raise ceiling.usd_per_contract to at least {at_least((month.high or month.low) * months)}",
        amount_of=whole_month(subject),
    )
    for breach in found:
        total = f"{months} months come to {usd(month.low * months)} {READINGS[subject.ceilings.binds]}: {breach.given}"
        yield replace(breach, given=total)


CONTRACT_CEILING = Rule(
    name="contract-ceiling",
    title="Contract ceiling",
    demand="The whole contract term costs no more than the contract ceiling.",
    why="Twelve months that are each slightly more expensive add up to more than was signed.",
    remedy="Reduce what the finding names, accept a cheaper option, or have the budget owner raise "
    "ceiling.usd_per_contract in the checklist and accept again.",
    severity=Severity.CRITICAL,
    judge=_judge_contract,
    exit_code=MONEY,
)


class ComponentCeilings(Settings):
    usd_per_month: dict[str, Usd] = Field(default_factory=dict)
    """USD a month by component, the first words of a bill line's key: "pool/train", "storage/warm", "network"; "pool"
    covers all pools of all placements, a placement's name everything in it."""
    stacks: dict[str, dict[str, Usd]] = Field(default_factory=dict)
    """The same for single stacks; overrides the limits for all."""


def part_of(bill: Bill, part: str, reading: str) -> Interval:
    """Cost of a part of a bill; an unpriced line without a placement may belong to it."""
    lines = (
        line
        for line in bill.lines
        # A line without a price and a placement may belong here: leaving it out would pass what nobody knows.
        if is_of(component_of(line.key), part) or (line.state is State.UNPRICED and not has_placement(line.key))
    )
    return of_lines(lines, reading, among=bill.lines)


def is_of(component: str, part: str) -> bool:
    """Whether a component belongs to a part; a chapter ("pool") covers every placement."""
    placement, _, there = component.partition("/")
    return in_part(component, part) or (part in DEPTHS and placement not in DEPTHS and in_part(there, part))


def _judge_components(subject: StackContext) -> Iterator[Breach]:
    settings, reading = subject.law.get(ComponentCeilings), subject.ceilings.binds
    limits = {**settings.usd_per_month, **settings.stacks.get(subject.lock.stack, {})}
    for part, limit in limits.items():

        def read_amount(bill: Bill, part: str = part) -> Decimal:
            amount = part_of(bill, part, reading)
            return amount.low if amount.high is None else amount.high

        month = part_of(bill_of(subject), part, reading)
        raised = f"raise usd_per_month of {part} in the rule component-ceilings to at least "
        yield from _hold(
            subject,
            month,
            limit,
            what=f"a month of {part}",
            limit_words=f"its ceiling is {usd(limit)} a month",
            raised=raised + at_least(month.high or month.low),
            amount_of=read_amount,
            part=part,
        )


COMPONENT_CEILINGS = Rule(
    name="component-ceilings",
    title="Component ceilings",
    demand="A component with a ceiling of its own costs no more than that in a month.",
    why="A pool that grows at the expense of others can stay under the ceiling of the stack.",
    remedy="Reduce what the finding names, or have the budget owner raise the component's ceiling.",
    severity=Severity.HIGH,
    judge=_judge_components,
    settings=ComponentCeilings,
    exit_code=MONEY,
)


class Growth(Settings):
    most_percent: Annotated[Decimal, Field(ge=0)] | None = Decimal(10)
    """Percent of the accepted month, at expected cost; null for no limit."""
    most_usd: Usd | None = None
    """USD a month; null for no limit. Where both are set, the smaller one applies."""


def measure_growth(subject: StackContext) -> Interval:
    """By how much the expected month is above the accepted one."""
    # What had no price at acceptance is no growth for having none today.
    known = {line.key for line in subject.lock.bill if line.usd_per_month is None}
    # An estimate counts as expected, then and now: that it may be more is no growth.
    settled = (replace(line, usd_per_unit_range=None) for line in bill_of(subject).lines)
    lines = [line for line in settled if line.key not in known or line.usd_per_month]
    now, then = of_lines(lines, "expected"), sum_accepted_usd(subject.lock)
    return Interval(now.low - then, None if now.high is None else now.high - then)


def find_growth_limit(subject: StackContext) -> Decimal | None:
    """USD a month; None for no limit."""
    settings = subject.law.get(Growth)
    percent = settings.most_percent
    of_accepted = None if percent is None else sum_accepted_usd(subject.lock) * percent / 100
    return min((each for each in (of_accepted, settings.most_usd) if each is not None), default=None)


def _judge_growth(subject: StackContext) -> Iterator[Breach]:
    limit, growth = find_growth_limit(subject), measure_growth(subject)
    if limit is None or growth.against(limit) is Verdict.WITHIN:
        return
    verdict, accepted = growth.against(limit), sum_accepted_usd(subject.lock)
    percent = f" ({growth.low / accepted * 100:+.1f}%)" if accepted else ""
    unpriced = f", and {describe_unpriced(bill_of(subject))}" if verdict is Verdict.UNDETERMINED else ""
    yield Breach(
        verdict=verdict,
        given=f"the expected month is {usd(growth.low)}{percent} above the {usd(accepted)} accepted on "
        f"{subject.lock.priced_at}{unpriced}",
        limit=f"it may grow by {usd(limit)} without a new acceptance",
        fix=f"Accept the stack again at its current cost (atoll accept), or reduce it by {usd(growth.low - limit)}"
        if verdict is Verdict.OVER
        else "Give the unpriced lines a price (--price-book FILE), or accept the stack again (atoll accept)",
        usd_per_month=growth.low if growth.high is None else growth.high,
    )


GROWTH = Rule(
    name="growth",
    title="Growth",
    demand="The expected month costs little more than what was accepted.",
    why="Price changes and small edits add up until the stack costs far more than was accepted.",
    remedy="Review what grew (atoll diff, atoll plan), and accept the stack again if it is wanted.",
    severity=Severity.MEDIUM,
    judge=_judge_growth,
    level=Level.ADVISORY,
    unknown=Level.ADVISORY,
    settings=Growth,
)
