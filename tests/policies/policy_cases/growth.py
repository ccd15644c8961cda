from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from policy_kit import Breaking, sound

from policies.rules.money.ceilings import Growth
from policies.settings import PolicySettings
from policies.stack_context import StackContext


def accepted_without(key: str) -> StackContext:
    """The stack as if a line had not been there when it was accepted."""
    stack = sound()
    bill = tuple(line for line in stack.lock.bill if line.key != key)
    return replace(stack, lock=stack.lock.model_copy(update={"bill": bill}))


def accepted_at(part: Decimal) -> StackContext:
    """The stack as if everything had cost so large a part of today's price when it was accepted."""
    stack = sound()
    bill = tuple(
        line.model_copy(
            update={"usd_per_month": line.usd_per_month and tuple(each * part for each in line.usd_per_month)}
        )
        for line in stack.lock.bill
    )
    return replace(stack, lock=stack.lock.model_copy(update={"bill": bill}))


def by_usd() -> StackContext:
    limit = Growth(most_percent=None, most_usd=Decimal(500))
    return replace(accepted_without("storage/warm"), law=PolicySettings(settings={Growth: limit}))


CASES: tuple[Breaking, ...] = (
    Breaking(what="percent", stack=lambda: accepted_at(Decimal("0.85"))),
    Breaking(what="USD", stack=by_usd),
)
