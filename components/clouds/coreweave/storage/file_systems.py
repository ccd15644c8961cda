"""The warm tier on CoreWeave: a claim on Distributed File Storage, billed by its size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from planning.costs.resources.clouds.coreweave import SHARED_CLASS

if TYPE_CHECKING:
    from components.context.placement import PlacementContext
    from planning.spec.cluster import Tier

NAMESPACE: Final = "atoll-storage"
LABELS: Final = {"app.kubernetes.io/managed-by": "atoll", "pod-security.kubernetes.io/enforce": "restricted"}


@final
class SharedFileSystem(pulumi.ComponentResource):
    """A claim that many pods mount, in a namespace of its own, so that deleting a workload does not delete it."""

    def __init__(self, tier: Tier, *, site: PlacementContext, opts: pulumi.ResourceOptions) -> None:
        facts = site.describe(tier=tier.tier)
        super().__init__("atoll:storage:SharedFileSystem", f"tier-{tier.tier}", facts, opts)
        kept = pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True)
        home = kubernetes.core.v1.Namespace(
            f"storage-{tier.tier}",
            metadata={"name": f"{NAMESPACE}-{tier.tier}", "labels": LABELS},
            opts=kept,
        )
        kubernetes.core.v1.PersistentVolumeClaim(
            f"storage-{tier.tier}",
            metadata={"name": tier.tier, "namespace": home.metadata.name, "labels": LABELS},
            spec={
                "access_modes": ["ReadWriteMany"],
                "storage_class_name": SHARED_CLASS,
                "resources": {"requests": {"storage": f"{tier.provisioned_gb}G"}},
            },
            opts=kept,
        )
        self.register_outputs({"namespace": home.metadata.name, "claim": tier.tier})
