"""Components of a cluster have ceilings of their own, where a project sets some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from planning.ceilings.verdict import of_lines
from planning.costs.bill import DEPTHS, component_of, has_placement, in_part
from planning.spec.lock_content import State
from policies.breach import Settings, Severity
from policies.rule import MONEY, Rule
from policies.rules.money.spend_limits import Usd, at_least, bill_of, check_limit, find_cheapest_fix, usd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from decimal import Decimal

    from planning.ceilings.verdict import Interval
    from planning.costs.bill import Bill
    from policies.breach import Breach
    from policies.stack_context import StackContext


class ComponentCeilings(Settings):
    """What components may cost."""

    usd_per_month: dict[str, Usd] = Field(default_factory=dict)
    """USD a month by component, the first words of a line's key: "pool/train", "storage/warm", "network"; "pool" is all
    pools of all placements, a placement's name all that is there."""
    stacks: dict[str, dict[str, Usd]] = Field(default_factory=dict)
    """The same for single stacks, over what holds for all."""


def part_of(bill: Bill, part: str, reading: str) -> Interval:
    """What a part of a bill comes to; what has no price and no place in the bill may belong to it."""
    lines = (
        line
        for line in bill.lines
        if is_of(component_of(line.key), part) or (line.state is State.UNPRICED and not has_placement(line.key))
    )
    return of_lines(lines, reading, among=bill.lines)


def is_of(component: str, part: str) -> bool:
    """Whether a component counts as of a part; a chapter, as "pool", is that of every placement."""
    placement, _, there = component.partition("/")
    return in_part(component, part) or (part in DEPTHS and placement not in DEPTHS and in_part(there, part))


def _build_amount_reader(part: str, reading: str) -> Callable[[Bill], Decimal]:
    def read_amount(bill: Bill) -> Decimal:
        amount = part_of(bill, part, reading)
        return amount.low if amount.high is None else amount.high

    return read_amount


def _breaches(subject: StackContext) -> Iterator[Breach]:
    settings = subject.law.setting(ComponentCeilings)
    limits = {**settings.usd_per_month, **settings.stacks.get(subject.lock.stack, {})}
    for part, limit in limits.items():
        found = _breach(subject, part, limit)
        if found:
            yield found


def _breach(subject: StackContext, part: str, limit: Decimal) -> Breach | None:
    bill, reading = bill_of(subject), subject.ceilings.binds
    month = part_of(bill, part, reading)
    raised = f"raise usd_per_month of {part} in the rule component-ceilings to at least "
    raised += at_least(month.high or month.low)
    return check_limit(
        month,
        limit,
        what=f"a month of {part}",
        reading=reading,
        limit_words=f"its ceiling is {usd(limit)} a month",
        fix=lambda verdict: find_cheapest_fix(
            subject, limit, month, verdict, raised=raised, of=_build_amount_reader(part, reading)
        ),
        bill=bill,
        part=part,
    )


RULE = Rule(
    name="component-ceilings",
    title="Ceilings of components",
    demand="A component that has a ceiling of its own costs no more than that in a month.",
    why="One pool that grows at the cost of the others stays under the ceiling of the whole.",
    remedy="Have less of what the sentence names, or let the owner of the budget raise the component's ceiling.",
    severity=Severity.HIGH,
    judge=_breaches,
    settings=ComponentCeilings,
    exit_code=MONEY,
)
