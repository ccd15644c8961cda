from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from policy_kit import Breaking, sound

from policies.law import Law
from policies.rules.growth import Growth
from policies.subject import Subject


def accepted_without(key: str) -> Subject:
    """The stack as if a line had not been there when it was accepted."""
    stack = sound()
    bill = tuple(line for line in stack.lock.bill if line.key != key)
    return replace(stack, lock=stack.lock.model_copy(update={"bill": bill}))


def by_usd() -> Subject:
    limit = Growth(most_percent=None, most_usd=Decimal(500))
    return replace(accepted_without("storage/warm"), law=Law(settings={Growth: limit}))


CASES: tuple[Breaking, ...] = (
    Breaking(what="percent", stack=lambda: accepted_without("pool/notebooks/machine")),
    Breaking(what="USD", stack=by_usd),
)
