from __future__ import annotations

from decimal import Decimal

from lock_kit import with_law
from policy_kit import Breaking, sound

from policies.rules.placement.machines import SpotSettings
from policies.stack_context import StackContext


def at_most(percent: int, target: str = "aws") -> StackContext:
    return with_law(sound(target), SpotSettings(most_percent=Decimal(percent)))


CASES: tuple[Breaking, ...] = (
    Breaking(what="a tenth on spot where a twentieth is allowed", stack=lambda: at_most(5)),
    Breaking(what="all on spot where half is allowed", stack=lambda: at_most(50, "coreweave")),
)
