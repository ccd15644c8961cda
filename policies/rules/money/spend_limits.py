"""Shared by the rules about money: the bill with stated upper bounds, comparison with a limit, the cheapest fix."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from planning.ceilings.savings import monthly_amount, relief
from planning.ceilings.spend_bounds import most_nodes
from planning.ceilings.verdict import describe_unpriced, of_lines, with_bounds
from planning.checklist.model.vocabulary import HOME
from planning.values.money import CENT, round_to, to_cents
from planning.values.verdict import Verdict
from policies.rule import Breach
from policies.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planning.ceilings.verdict import Interval
    from planning.costs.bill import Bill, LineItem
    from policies.stack_context import StackContext

Usd = Annotated[Decimal, Field(ge=0)]
READINGS: Final = {"min": "at least", "expected": "as expected", "max": "at most"}


class MayStayUnpriced(Settings):
    """Upper bounds of what has no price."""

    at_most_usd_per_month: dict[str, Usd] = Field(default_factory=dict)
    """Upper bound in USD a month of each matching line, by item of the price list, resource type or key of the line
    ("support_24x7", "network/load_balancer"). Every ceiling counts it."""

    def bound(self, line: LineItem) -> Decimal | None:
        stated = self.at_most_usd_per_month
        return stated.get(line.key, stated.get(str(line.item)))


def bill_of(subject: StackContext) -> Bill:
    return with_bounds(subject.bill, subject.law.get(MayStayUnpriced).bound)


def lines_of(subject: StackContext) -> Iterator[tuple[str, str, LineItem]]:
    """Every line with the URN and type of its resource; both "" where the resource is not registered yet."""
    seen: set[str] = set()
    for taken in subject.taken.resources:
        for line in taken.lines:
            seen.add(line.key)
            yield taken.urn, taken.type, line
    # What no resource is registered for yet costs all the same.
    for line in subject.whole.lines if subject.whole else ():
        if line.key not in seen:
            yield "", "", line


def months_of(subject: StackContext) -> int:
    """Contract months that apply: at least the base branch's."""
    # No change may shorten the contract that it is judged by.
    return max(subject.lock.contract_months, subject.before.contract_months if subject.before else 0)


def price_month(subject: StackContext) -> Interval:
    return of_lines(bill_of(subject).lines, subject.ceilings.binds)


def system_pools(subject: StackContext) -> frozenset[str]:
    return frozenset(
        f"{'' if spec.placement.name == HOME else f'{spec.placement.name}/'}pool/{pool.name}"
        for spec in subject.lock.placements
        for pool in spec.pools
        if pool.role == "system"
    )


def usd(amount_usd: Decimal) -> str:
    return f"{to_cents(amount_usd):,} USD"


def at_least(amount_usd: Decimal) -> str:
    """A limit that an amount passes: rounded up to cents."""
    # Rounded down, the limit in the words would not let the amount pass.
    return f"{round_to(amount_usd, CENT, rounding=ROUND_CEILING):,} USD"


def check_limit(
    judged: Interval,
    limit: Decimal,
    *,
    what: str,
    reading: str,
    limit_words: str,
    fix: Callable[[Verdict], str],
    bill: Bill,
    part: str = "",
) -> Breach | None:
    """The breach of a cost compared with a limit; None where it is within.

    Args:
        judged: USD a month.
        limit: USD a month.
        what: what is judged, as in "a month".
        fix: the change that would pass.
        bill: for the names of unpriced lines.
        part: the component or team with a limit of its own, which keeps its breach apart from others.
    """
    verdict = judged.against(limit)
    if verdict is Verdict.WITHIN:
        return None
    given = f"{what} comes to {usd(judged.low)} {READINGS[reading]}"
    if verdict is Verdict.UNDETERMINED:
        perhaps = "" if judged.high is None else f", possibly up to {usd(judged.high)}"
        given = f"{what} comes to {usd(judged.low)} {READINGS[reading]} without unpriced lines{perhaps}"
        given += f": {describe_unpriced(bill)}"
    most = judged.low if judged.high is None else judged.high
    return Breach(verdict=verdict, given=given, limit=limit_words, fix=fix(verdict), path=part, usd_per_month=most)


def find_cheapest_fix(
    subject: StackContext,
    limit: Decimal,
    judged: Interval,
    verdict: Verdict,
    *,
    raised: str,
    of: Callable[[Bill], Decimal],
) -> str:
    """The cheapest change that would pass, as an imperative sentence.

    Args:
        limit: USD a month.
        judged: USD a month.
        raised: the alternative, raising the limit.
        of: the amount of a bill that is compared with the limit.
    """
    if verdict is Verdict.UNDETERMINED and judged.high is None:
        room = usd(limit - judged.low)
        return (
            "Give the unpriced lines a price (--price-book FILE), or state upper bounds in the rule unpriced "
            f"(at_most_usd_per_month), together no more than {room} a month"
        )
    nodes = most_nodes(subject.lock.placements)
    found = relief(bill_of(subject), limit, judged=of, keep=system_pools(subject), nodes=nodes)
    rest = "" if judged.high is not None else "; in both cases give the unpriced lines a price (--price-book FILE)"
    return f"{found.words}, or {raised}{rest}" if found else f"{raised[:1].upper()}{raised[1:]}{rest}"


def whole_month(subject: StackContext) -> Callable[[Bill], Decimal]:
    return lambda bill: monthly_amount(bill, subject.ceilings.binds)
