from __future__ import annotations

from lock_kit import pool_in, with_law, with_pool
from policy_kit import Breaking, changed, sound, without

from planning.costs.resources.resource import UNKNOWN, Value
from policies.rules.operations.pool_bounds import CullingSettings
from policies.stack_context import StackContext

POOL = "kubernetes:karpenter.sh/v1:NodePool"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
AFTER = "spec.disruption.consolidateAfter"


def reserved() -> StackContext:
    """A pool of Karpenter that may take what is reserved."""
    capacity: list[Value] = ["reserved", "on-demand"]
    return changed(sound(), POOL, {"spec.template.spec.requirements.1.values": capacity}, name="nodes-notebooks")


def beyond() -> StackContext:
    """A pool of CKS that may grow by a spare that its lock does not have."""
    stack = sound("coreweave")
    working = pool_in(stack, "pretrain-13b").working
    return with_pool(stack, "pretrain-13b", spares=0, max_nodes=working)


CASES: tuple[Breaking, ...] = (
    Breaking(what="idle nodes that Karpenter keeps", stack=lambda: changed(sound(), POOL, {AFTER: "Never"})),
    Breaking(
        what="a disruption known only later", stack=lambda: changed(sound(), POOL, {AFTER: UNKNOWN}), unclear=True
    ),
    Breaking(
        what="reserved nodes of Karpenter that go when they are idle",
        stack=reserved,
    ),
    Breaking(
        what="reserved nodes of GKE that go when they are idle",
        stack=lambda: with_pool(sound("gcp"), "policy-3b", kind="reserved", min_nodes=2),
    ),
    Breaking(
        what="nodes of a managed group that never go",
        stack=lambda: with_pool(sound(), "system", min_nodes=4),
    ),
    Breaking(
        what="a pool of CKS that grows beyond the lock",
        stack=beyond,
    ),
    Breaking(what="no culler", stack=lambda: without(sound(), DEPLOYMENT, name="atoll-culler")),
    Breaking(
        what="a culler that does not run",
        stack=lambda: changed(sound("coreweave"), DEPLOYMENT, {"spec.replicas": 0}, name="atoll-culler"),
    ),
    Breaking(
        what="a culler that waits longer than the project allows",
        stack=lambda: with_law(sound("gcp"), CullingSettings(most_idle_minutes=5)),
    ),
)
