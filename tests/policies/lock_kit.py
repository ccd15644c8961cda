"""Stacks whose lock or law is another, while what they register stays: for rules that hold the two together."""

from __future__ import annotations

from dataclasses import replace

from planning.spec.cluster import Pool
from policies.settings import Settings
from policies.stack_context import StackContext


def with_law(stack: StackContext, *settings: Settings) -> StackContext:
    """The same stack, of whose rules a project sets more."""
    law = replace(stack.law, settings={**stack.law.settings, **{type(each): each for each in settings}})
    return replace(stack, law=law)


def with_home(stack: StackContext, **changes: object) -> StackContext:
    """The same stack, the lock of whose cluster at home is another."""
    first, *rest = stack.lock.placements
    placements = (first.model_copy(update=changes), *rest)
    return replace(stack, lock=stack.lock.model_copy(update={"placements": placements}))


def pool_in(stack: StackContext, name: str) -> Pool:
    """A pool of the lock, by its name."""
    return next(pool for pool in stack.lock.spec.pools if pool.name == name)


def with_pool(stack: StackContext, name: str, **changes: object) -> StackContext:
    """The same stack, one pool of whose lock is another."""
    pools = tuple(each.model_copy(update=changes) if each.name == name else each for each in stack.lock.spec.pools)
    return with_home(stack, pools=pools)


def with_profile(stack: StackContext, **changes: object) -> StackContext:
    """The same stack at a provider that brings other things along."""
    return with_home(stack, profile=stack.lock.spec.profile.model_copy(update=changes))


def with_platform(stack: StackContext, **changes: object) -> StackContext:
    """The same stack, whose platform was decided in another way."""
    platform = stack.lock.spec.platform
    assert platform is not None
    return with_home(stack, platform=platform.model_copy(update=changes))
