"""The ceiling is held where the cluster runs: by quotas, by the guard in the cluster, by the cloud's budget."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from planning.money import to_cents
from planning.quote import Verdict
from planning.reach import reaches
from policies.reading import each
from policies.rule import Breach, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from planning.takeoff.properties import Properties
    from planning.takeoff.resource import Resource
    from policies.subject import Subject

GUARD: Final = "atoll:platform:SpendGuard"
BUDGET: Final = "aws:budgets/budget:Budget"
WITH_BUDGET: Final = frozenset({"aws"})  # where the program makes a budget without being told an account to bill


def _breaches(subject: Subject) -> Iterator[Breach]:
    ceiling = subject.lock.ceiling.usd_per_month
    if ceiling is None:
        return
    if subject.whole is None:
        yield from _held(subject, ceiling)
    limit = f"the ceiling that was accepted is {to_cents(ceiling):,} USD a month"
    budgets = tuple(subject.of_types((BUDGET,)))
    if not budgets and subject.lock.spec.placement.target in WITH_BUDGET:
        yield Breach(
            verdict=Verdict.OVER,
            given="no budget is registered",
            limit=limit,
            fix="Put the component atoll:cluster:Budget back",
        )
    yield from each(budgets, partial(_budget, ceiling, limit), limit=limit)


def _held(subject: Subject, ceiling: Decimal) -> Iterator[Breach]:
    """Full quotas for a whole month stay below the ceiling, or something stops the queues before it."""
    if subject.lock.spec.platform is None or any(True for _ in subject.of_types((GUARD,))):
        return
    through = reaches(subject.lock).through_quotas
    if through > ceiling:
        yield Breach(
            verdict=Verdict.OVER,
            given=f"quotas let {to_cents(through):,} USD a month through, and nothing stops the queues before that",
            limit=f"what runs is held to {to_cents(ceiling):,} USD a month",
            fix="Take spend_guard out of platform.without in the checklist and accept the option anew",
        )


def _budget(ceiling: Decimal, limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    amount, unit = inputs.at("limitAmount").number(), inputs.at("limitUnit").text()
    if (amount, unit, inputs.at("timeUnit").text()) != (ceiling, "USD", "MONTHLY"):
        yield Breach(
            verdict=Verdict.OVER,
            urn=resource.urn,
            path="limitAmount",
            given=f"the budget is {to_cents(amount):,} {unit}, {inputs.at('timeUnit').text().lower()}",
            limit=limit,
            fix="Let the budget have the ceiling of the lock",
        )


RULE: Final = Rule(
    name="ceiling-layers",
    title="Ceiling in every layer",
    demand="A month's ceiling is held where the cluster runs: by quotas or the spend guard, and by the cloud's budget.",
    why="A forecast under the ceiling stops nobody who fills every pool for a month.",
    remedy="Keep the platform part spend_guard and the budget as the lock has them.",
    severity=Severity.HIGH,
    judge=_breaches,
)
