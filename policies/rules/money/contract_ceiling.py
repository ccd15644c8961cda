"""All months of the contract together cost no more than the contract's ceiling."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from policies.breach import Severity
from policies.rule import MONEY, Rule
from policies.rules.money.spend_limits import (
    READINGS,
    at_least,
    bill_of,
    check_limit,
    find_cheapest_fix,
    months_of,
    price_month,
    usd,
    whole_month,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.breach import Breach
    from policies.stack_context import StackContext


def _breaches(subject: StackContext) -> Iterator[Breach]:
    """A contract of no months has no sum; what is paid once is spread over the months already."""
    whole, months = subject.ceilings.usd_per_contract, months_of(subject)
    if whole is None or not months:
        return
    month, limit, reading = price_month(subject), whole / months, subject.ceilings.binds
    raised = f"raise ceiling.usd_per_contract to at least {at_least((month.high or month.low) * months)}"
    found = check_limit(
        month,
        limit,
        what="a month",
        reading=reading,
        limit_words=f"the ceiling is {usd(whole)} for {months} months, which is {usd(limit)} a month",
        fix=lambda verdict: find_cheapest_fix(subject, limit, month, verdict, raised=raised, of=whole_month(subject)),
        bill=bill_of(subject),
    )
    if found:
        total = f"{months} months come to {usd(month.low * months)} {READINGS[reading]}: {found.given}"
        yield replace(found, given=total)


RULE = Rule(
    name="contract-ceiling",
    title="Contract ceiling",
    demand="The months of the contract together cost no more than the ceiling of the contract.",
    why="Twelve months that are each a little dearer are a sum that nobody signed for.",
    remedy="Have less of what the sentence names, accept a cheaper option, or let the owner of the budget raise "
    "ceiling.usd_per_contract in the checklist and accept again.",
    severity=Severity.CRITICAL,
    judge=_breaches,
    exit_code=MONEY,
)
