"""Everything that is registered has a price, is free by a rule, or has a bound that somebody states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.costs.resources.counters import counter_of
from planning.spec.lock_content import State
from planning.values.errors import CannotTellError
from planning.values.verdict import Verdict
from policies.breach import Breach, Severity
from policies.rule import Rule
from policies.rules.money.spend_limits import MayStayUnpriced, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.bill import LineItem
    from policies.stack_context import StackContext

LIMIT = "everything that is registered has a price, or a bound under every ceiling"


def _breaches(subject: StackContext) -> Iterator[Breach]:
    stated = subject.law.setting(MayStayUnpriced)
    for urn, type_, line in lines_of(subject):
        unbounded = line.at_most_usd_per_month is None and stated.bound(line) is None
        if line.state is State.UNPRICED and unbounded:
            yield _breach(urn, type_, line)


def _breach(urn: str, type_: str, line: LineItem) -> Breach:
    """A type that nobody counts breaks the rule; of a value or a price that is missing, nobody can tell."""
    stated = f'"{line.item}" in at_most_usd_per_month of the rule unpriced'
    if type_ and counter_of(type_) is None:
        return Breach(
            verdict=Verdict.OVER,
            urn=urn,
            given=f"nobody counts what a resource of type {type_} costs",
            limit=LIMIT,
            fix=f"Take it out, or state the most that it comes to in a month: {stated}",
        )
    return Breach(
        verdict=Verdict.CANNOT_TELL,
        urn=urn,
        given=f"no price is known for {line.label}: {line.note or 'nothing says why'}",
        limit=LIMIT,
        fix=f"Give it a price (--price-book FILE) or write the property as a plain value, or state the most that it "
        f"comes to in a month: {stated}",
    )


RULE = Rule(
    name="unpriced",
    title="Unpriced resources",
    demand="Everything that is registered has a price, is free by a rule, or has a bound that somebody states.",
    why="What nobody prices counts as nothing elsewhere, and is on the bill all the same.",
    remedy="Give the price with --price-book, or state in stacks/policies.yaml the most that it may come to; every "
    "ceiling then counts that much.",
    severity=Severity.HIGH,
    judge=_breaches,
    settings=MayStayUnpriced,
    exit_code=CannotTellError.exit_code,
)
