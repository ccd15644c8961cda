"""A month of the stack costs no more than its ceiling, in the reading that the checklist binds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from policies.breach import Severity
from policies.rule import MONEY, Rule
from policies.rules.money.spend_limits import (
    at_least,
    bill_of,
    check_limit,
    find_cheapest_fix,
    price_month,
    usd,
    whole_month,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.breach import Breach
    from policies.stack_context import StackContext


def _breaches(subject: StackContext) -> Iterator[Breach]:
    limit, reading = subject.ceilings.usd_per_month, subject.ceilings.binds
    if limit is None:
        return
    month = price_month(subject)
    raised = f"raise ceiling.usd_per_month to at least {at_least(month.high or month.low)}"
    found = check_limit(
        month,
        limit,
        what="a month",
        reading=reading,
        limit_words=f"the ceiling is {usd(limit)} a month",
        fix=lambda verdict: find_cheapest_fix(subject, limit, month, verdict, raised=raised, of=whole_month(subject)),
        bill=bill_of(subject),
    )
    if found:
        yield found


RULE = Rule(
    name="monthly-ceiling",
    title="Monthly ceiling",
    demand="A month costs no more than the ceiling, in the reading that the checklist binds.",
    why="A cluster that grows past its budget is noticed on the bill, when the money is spent.",
    remedy="Have less of what the sentence names, accept a cheaper option, or let the owner of the budget raise "
    "ceiling.usd_per_month in the checklist and accept again.",
    severity=Severity.CRITICAL,
    judge=_breaches,
    exit_code=MONEY,
)
