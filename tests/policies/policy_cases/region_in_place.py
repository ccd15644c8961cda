from __future__ import annotations

from dataclasses import replace

from lock_kit import with_home
from policy_kit import Breaking, sound

from policies.stack_context import StackContext


def moved(built: str = "aws", **place: str) -> StackContext:
    """A stack that was somewhere else before the change."""
    now = sound(built)
    old = with_home(now, placement=now.lock.spec.placement.model_copy(update=place))
    return replace(now, before=old.lock)


CASES: tuple[Breaking, ...] = (
    Breaking(what="a lock that moves to another region", stack=lambda: moved(region="eu-central-1")),
    Breaking(
        what="a lock that moves to another provider",
        stack=lambda: moved("gcp", provider="aws", region="us-east-1", target="aws"),
    ),
)
