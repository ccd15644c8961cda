from __future__ import annotations

from dataclasses import replace

from policy_kit import Breaking, added, ceiling, changed, made, sound

from planning.costs.resources.resource import UNKNOWN
from policies.rules.money.ceilings import Growth
from policies.settings import PolicySettings
from policies.stack_context import StackContext


def without_limits() -> StackContext:
    """The stack without ceilings, which could not be judged either."""
    law = PolicySettings(settings={Growth: Growth(most_percent=None)})
    return replace(ceiling(sound(), usd_per_month=None), law=law)


CASES: tuple[Breaking, ...] = (
    Breaking(
        what="a type that nobody counts",
        stack=lambda: added(without_limits(), made("aws:iot/thing:Thing", "thing")),
    ),
    Breaking(
        what="a value that nobody knows",
        stack=lambda: changed(without_limits(), "aws:ec2/natGateway:NatGateway", {"availabilityMode": UNKNOWN}),
        unclear=True,
    ),
)
