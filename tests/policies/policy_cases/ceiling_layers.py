from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal

from policy_kit import Breaking, changed, sound, without

from planning.costs.resources.resource import UNKNOWN
from planning.spec.lock import LockedLine
from policies.rules.money.ceiling_layers import BUDGET, GUARD
from policies.stack_context import StackContext


def counted(told: Callable[[LockedLine], Mapping[str, object]]) -> StackContext:
    """The same stack whose lock has other prices."""
    stack = sound("gcp")
    bill = tuple(line.model_copy(update=told(line)) for line in stack.lock.bill)
    return replace(stack, lock=stack.lock.model_copy(update={"bill": bill}))


def _cheap_machine(line: LockedLine) -> Mapping[str, object]:
    return {"usd_per_unit": Decimal("0.01")} if line.key.endswith("/machine") else {}


def _no_most(line: LockedLine) -> Mapping[str, object]:
    month = line.usd_per_month
    return {"usd_per_month": (*month[:2], Decimal(0))} if month and not line.key.endswith("/machine") else {}


CASES: tuple[Breaking, ...] = (
    Breaking(what="a guard that counts machines as nothing", stack=lambda: counted(_cheap_machine)),
    Breaking(what="a guard that counts nothing but machines", stack=lambda: counted(_no_most)),
    Breaking(what="no guard where quotas reach beyond", stack=lambda: without(sound(), GUARD)),
    Breaking(what="no guard on Google Cloud", stack=lambda: without(sound("gcp"), GUARD)),
    Breaking(what="a budget above the ceiling", stack=lambda: changed(sound(), BUDGET, {"limitAmount": "99999"})),
    Breaking(what="a budget by the year", stack=lambda: changed(sound(), BUDGET, {"timeUnit": "ANNUALLY"})),
    Breaking(what="no budget", stack=lambda: without(sound(), BUDGET)),
    Breaking(
        what="a budget known only later",
        stack=lambda: changed(sound(), BUDGET, {"limitAmount": UNKNOWN}),
        unclear=True,
    ),
)
