"""What jobs over several nodes tell NCCL about the fabric: one ConfigMap where its own defaults are not enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import namespace
from components.context.nccl import SETTINGS, settings
from components.platform.building_blocks.names import NCCL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Pool

__all__ = ["SETTINGS", "nccl", "settings"]


def nccl(workload: str, *, provider: str, pools: Sequence[Pool], parent: pulumi.Resource) -> None:
    """The ConfigMap of a workload's namespace, for `envFrom`."""
    said = settings(provider, [pool for pool in pools if pool.workload == workload])
    if said:
        kubernetes.core.v1.ConfigMap(
            f"{workload}-{NCCL}",
            metadata={"name": NCCL, "namespace": namespace(workload)},
            data=dict(said),
            opts=pulumi.ResourceOptions(parent=parent),
        )
