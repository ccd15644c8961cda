from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from policy_kit import Breaking, sound

from policies.stack_context import StackContext


def with_money(team: str, usd: int) -> StackContext:
    """The stack whose team has another part of the money."""
    stack = sound()
    home = stack.lock.spec
    assert home.platform is not None
    teams = tuple(
        each.model_copy(update={"usd_per_month": Decimal(usd)}) if each.name == team else each
        for each in home.platform.teams
    )
    decided = home.model_copy(update={"platform": home.platform.model_copy(update={"teams": teams})})
    placements = (decided, *stack.lock.placements[1:])
    return replace(stack, lock=stack.lock.model_copy(update={"placements": placements}))


CASES: tuple[Breaking, ...] = (Breaking(what="one team", stack=lambda: with_money("models", 3000)),)
