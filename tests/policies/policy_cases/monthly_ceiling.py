from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from policy_kit import Breaking, added, ceiling, made, sound

from policies.rules.money.ceilings import Growth
from policies.rules.money.spend_limits import MayStayUnpriced
from policies.settings import PolicySettings
from policies.stack_context import StackContext

THING = "aws:iot/thing:Thing"


def bounded() -> StackContext:
    """Something without a price, which may come to more than is left under the ceiling."""
    settings = (MayStayUnpriced(at_most_usd_per_month={THING: Decimal(50000)}), Growth(most_percent=None))
    return replace(
        added(sound(), made(THING, "thing")), law=PolicySettings(settings={type(each): each for each in settings})
    )


CASES: tuple[Breaking, ...] = (
    Breaking(what="expected", stack=lambda: ceiling(sound(), usd_per_month=Decimal(9000))),
    Breaking(what="at least", stack=lambda: ceiling(sound(), usd_per_month=Decimal(1500), binds="min")),
    Breaking(what="a bound above the ceiling", stack=bounded, unclear=True),
)
