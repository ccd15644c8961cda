from __future__ import annotations

from decimal import Decimal

from lock_kit import with_law, with_pool
from policy_kit import Breaking, sound

from policies.rules.spares import SpareSettings

CASES: tuple[Breaking, ...] = (
    Breaking(
        what="a pool of CKS without room for its second spare",
        stack=lambda: with_pool(sound("coreweave"), "pretrain-13b", spares=2, max_nodes=4, min_nodes=0),
    ),
    Breaking(
        what="a pool of Karpenter without room for its spare",
        stack=lambda: with_pool(sound(), "finetune-7b", spares=1, max_nodes=2),
    ),
    Breaking(
        what="a pool of GKE without room for its spares",
        stack=lambda: with_pool(sound("gcp"), "policy-3b", spares=5, max_nodes=9),
    ),
    Breaking(
        what="fewer spares than the project wants",
        stack=lambda: with_law(sound("coreweave"), SpareSettings(least_percent=Decimal(60))),
    ),
)
