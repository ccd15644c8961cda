from __future__ import annotations

from decimal import Decimal

from lock_kit import pool_in, with_law, with_pool
from policy_kit import Breaking, sound

from policies.rules.operations.pool_bounds import SpareSettings
from policies.stack_context import StackContext


def short_of_a_spare(target: str, name: str) -> StackContext:
    """A stack whose lock has one spare more than its nodes have room for."""
    stack = sound(target)
    pool = pool_in(stack, name)
    return with_pool(stack, name, spares=pool.spares + 1, max_nodes=pool.max_nodes + 1)


CASES: tuple[Breaking, ...] = (
    Breaking(
        what="a pool of CKS without room for its second spare",
        stack=lambda: short_of_a_spare("coreweave", "pretrain-13b"),
    ),
    Breaking(
        what="a pool of Karpenter without room for its spare",
        stack=lambda: short_of_a_spare("aws", "finetune-7b"),
    ),
    Breaking(
        what="a pool of GKE without room for its next spare",
        stack=lambda: short_of_a_spare("gcp", "policy-3b"),
    ),
    Breaking(
        what="fewer spares than the project wants",
        stack=lambda: with_law(sound("coreweave"), SpareSettings(least_percent=Decimal(60))),
    ),
)
