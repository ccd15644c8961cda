from __future__ import annotations

from dataclasses import replace

import hand_built
from policy_kit import Breaking, sound

from planning.costs.bill import Bill, BillGroup
from planning.costs.estimates import EstimateUse
from policies.rules.money.ceilings import Growth
from policies.rules.money.prices import EstimatesAllowed
from policies.settings import PolicySettings
from policies.stack_context import StackContext


def estimated() -> StackContext:
    """The stack with a line whose price is an estimate, in a project that allows none."""
    line = hand_built.estimated("network/queue", BillGroup.NETWORK)
    none = EstimatesAllowed(estimates=EstimateUse.NONE)
    return replace(
        sound(),
        whole=Bill((line,)),
        law=PolicySettings(settings={EstimatesAllowed: none, Growth: Growth(most_percent=None)}),
    )


CASES: tuple[Breaking, ...] = (Breaking(what="an estimated line", stack=estimated),)
