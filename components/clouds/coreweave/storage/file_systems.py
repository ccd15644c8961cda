"""The warm tier on CoreWeave: a claim on Distributed File Storage, whose size is what is paid for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from planning.costs.resources.clouds.coreweave import SHARED_CLASS

if TYPE_CHECKING:
    from planning.spec.cluster import Placement, Tier

NAMESPACE: Final = "atoll-storage"


@dataclass(frozen=True, kw_only=True)
class SharedFileSystemArgs:
    """One shared tier."""

    placement: Placement
    tier: Tier


@final
class SharedFileSystem(pulumi.ComponentResource):
    """A claim that many pods mount at once, in a namespace of its own: no workload can delete it with itself."""

    def __init__(self, name: str, args: SharedFileSystemArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "tier": args.tier.tier}
        super().__init__("atoll:storage:SharedFileSystem", name, facts, opts)
        kept = pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True)
        home = kubernetes.core.v1.Namespace(
            f"storage-{args.tier.tier}",
            metadata={"name": f"{NAMESPACE}-{args.tier.tier}", "labels": _labels()},
            opts=kept,
        )
        kubernetes.core.v1.PersistentVolumeClaim(
            f"storage-{args.tier.tier}",
            metadata={"name": args.tier.tier, "namespace": home.metadata.name, "labels": _labels()},
            spec={
                "access_modes": ["ReadWriteMany"],
                "storage_class_name": SHARED_CLASS,
                "resources": {"requests": {"storage": f"{args.tier.provisioned_gb}G"}},
            },
            opts=kept,
        )
        self.register_outputs({"namespace": home.metadata.name, "claim": args.tier.tier})


def _labels() -> dict[str, str]:
    return {"app.kubernetes.io/managed-by": "atoll", "pod-security.kubernetes.io/enforce": "restricted"}
