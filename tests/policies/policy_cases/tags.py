from __future__ import annotations

from lock_kit import with_law
from policy_kit import Breaking, changed, sound

from planning.costs.resources.resource import UNKNOWN
from policies.rules.operations.tags import TagSettings

BUCKET = "coreweave:index/objectStorageBucket:ObjectStorageBucket"
LABELS = "nodeConfig.resourceLabels"

CASES: tuple[Breaking, ...] = (
    Breaking(
        what="a provider of AWS that tags nothing",
        stack=lambda: changed(sound(), "pulumi:providers:aws", {"defaultTags": None}),
    ),
    Breaking(
        what="machines of Karpenter without an owner",
        stack=lambda: changed(
            sound(), "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", {"spec.tags": {"atoll:stack": "demo"}}
        ),
    ),
    Breaking(
        what="nodes of GKE without labels",
        stack=lambda: changed(sound("gcp"), "gcp:container/nodePool:NodePool", {LABELS: {}}),
    ),
    Breaking(
        what="a bucket of CoreWeave without tags", stack=lambda: changed(sound("coreweave"), BUCKET, {"tags": None})
    ),
    Breaking(
        what="tags that are known only later",
        stack=lambda: changed(sound("coreweave"), BUCKET, {"tags": UNKNOWN}),
        unclear=True,
    ),
    Breaking(
        what="a tag that the project wants too",
        stack=lambda: with_law(sound(), TagSettings(required=("atoll:stack", "cost-center"))),
    ),
)
