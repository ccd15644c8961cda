"""Enforcement of the ceiling at run time: by quotas, the spend guard in the cluster, and the cloud's budget."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.ceilings.spend_bounds import most_nodes, reaches
from planning.costs.bill import lock_line
from planning.costs.node_prices import node_prices
from planning.values.money import ZERO, to_cents
from planning.values.verdict import Verdict
from policies.properties import check_resources, over
from policies.rule import Breach, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Properties, Resource
    from policies.stack_context import StackContext

GUARD: Final = "atoll:platform:SpendGuard"
BUDGET: Final = "aws:budgets/budget:Budget"
LEAST_COUNTED: Final = Decimal("0.75")  # prices change, but not by a quarter between two acceptances


def _breaches(subject: StackContext) -> Iterator[Breach]:
    ceiling = subject.lock.ceiling.usd_per_month
    if ceiling is None:
        return
    if subject.whole is None:
        yield from _check_quotas(subject, ceiling)
    limit = f"the accepted ceiling is {to_cents(ceiling):,} USD a month"
    budgets = tuple(subject.of_types((BUDGET,)))
    if not budgets and find_traits(subject.lock.spec.placement.target).budget == "always":
        yield Breach(
            verdict=Verdict.OVER,
            given="no budget is registered",
            limit=limit,
            fix="Restore the component atoll:cluster:Budget",
        )
    yield from check_resources(budgets, partial(_budget, ceiling, limit), limit=limit)


def _check_quotas(subject: StackContext, ceiling: Decimal) -> Iterator[Breach]:
    """Full quotas for a whole month stay below the ceiling, or the spend guard stops the queues first."""
    if subject.lock.spec.platform is None:
        return
    if any(True for _ in subject.of_types((GUARD,))):
        yield from _counts(subject)
        return
    through = reaches(subject.lock).through_quotas
    if through > ceiling:
        yield Breach(
            verdict=Verdict.OVER,
            given=f"quotas allow {to_cents(through):,} USD a month, and nothing stops the queues before that",
            limit=f"spend is limited to {to_cents(ceiling):,} USD a month",
            fix="Remove spend_guard from platform.without in the checklist and accept the option again",
        )


def _counts(subject: StackContext) -> Iterator[Breach]:
    # The guard counts by the prices of the lock: if they were edited, it would stop nothing.
    nodes = most_nodes(subject.lock.placements[:1])
    told = node_prices(subject.lock.bill, nodes=nodes)
    real = node_prices([lock_line(line) for line in subject.bill.lines], nodes=nodes)
    hours, most = (real.usd_per_hour, told.usd_per_hour), (real.most_usd_per_hour, told.most_usd_per_hour)
    pairs = [
        *((f"an hour of a node of {pool}", hours[1].get(pool, ZERO), cost) for pool, cost in hours[0].items()),
        *(
            (f"the most expensive hour of a node of {pool}", most[1].get(pool, ZERO), cost)
            for pool, cost in most[0].items()
        ),
        ("a month of everything but nodes", told.other_most_usd_per_month, real.other_most_usd_per_month),
    ]
    for what, counted, cost in pairs:
        if counted < cost * LEAST_COUNTED:
            yield Breach(
                verdict=Verdict.OVER,
                path=what,
                given=f"the spend guard counts {what} as {to_cents(counted):,} USD; it costs {to_cents(cost):,} USD",
                limit=f"it counts at least {LEAST_COUNTED:.0%} of what is paid",
                fix="Accept the option again, so that the lock has current prices",
            )


def _budget(ceiling: Decimal, limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    amount, unit = inputs.at("limitAmount").number(), inputs.at("limitUnit").text()
    if (amount, unit, inputs.at("timeUnit").text()) != (ceiling, "USD", "MONTHLY"):
        yield over(
            resource,
            "limitAmount",
            given=f"the budget is {to_cents(amount):,} {unit}, {inputs.at('timeUnit').text().lower()}",
            limit=limit,
            fix="Set the budget to the ceiling of the lock",
        )


RULE: Final = Rule(
    name="ceiling-layers",
    title="Ceiling enforcement",
    demand="The monthly ceiling is enforced in the cluster, by quotas or the spend guard, and by the cloud's budget.",
    why="A forecast below the ceiling does not stop users from filling every pool for a month.",
    remedy="Keep the platform component spend_guard and the budget as the lock has them.",
    severity=Severity.HIGH,
    judge=_breaches,
)
