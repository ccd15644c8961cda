"""An accepted cluster on CoreWeave, written out by hand."""

from __future__ import annotations

from decimal import Decimal

from specs import STORAGE, amounts, aws_cluster, pool, system_pool

from planning.spec.cluster import ClusterSpec, Placement, Profile

PROFILE = Profile(
    provider="coreweave",
    title="CKS",
    gpu_driver="provider",
    device_plugin="provider",
    node_feature_discovery="provider",
    dcgm_exporter="provider",
    network_plugin="provider",
    node_repair="provider",
    autoscaler="provider",
    forbidden=("gpu_operator",),
    shared_class="shared-vast",
    rdma_resource="rdma/ib",
)

POOLS = (
    system_pool().model_copy(update={"machine": "cpu-node", "disk_gb": 0}),
    pool("train", machine="HGX-H100", disk_gb=0, fabric="infiniband", min_nodes=2,
         node_hours=amounts(1460, 1460, 1460)),
    pool("burst", machine="HGX-B200", accelerator="B200-SXM-180GB", disk_gb=0, fabric="infiniband", kind="spot",
         purchase="spot"),
)  # fmt: skip


def coreweave_cluster(**changes: object) -> ClusterSpec:
    warm = STORAGE[1].model_copy(update={"engine": "Distributed File Storage", "provisioned_gb": 3750})
    cold = STORAGE[2].model_copy(update={"engine": "AI Object Storage", "asked_gb": Decimal(20000)})
    whole: dict[str, object] = {
        "placement": Placement(provider="coreweave", region="north-america", zones=(), target="coreweave"),
        "network": aws_cluster().network.model_copy(update={"peering": None}),
        "pools": POOLS,
        "storage": (STORAGE[0], warm, cold),
        "kubernetes_version": "1.35",
        "profile": PROFILE,
    }
    return aws_cluster(**{**whole, **changes})
