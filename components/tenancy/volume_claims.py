"""Claims to volumes that a cloud keeps outside the cluster: the way of a namespace's pods to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_kubernetes as kubernetes

if TYPE_CHECKING:
    from components.context.placement import Volume


def claim(
    volume: Volume, owner: str, *, home: kubernetes.core.v1.Namespace
) -> kubernetes.core.v1.PersistentVolumeClaim:
    """The claim in the namespace `home` of an owner. It holds nothing itself, and may go with its namespace."""
    return kubernetes.core.v1.PersistentVolumeClaim(
        f"{owner}-{volume.claim}",
        metadata={"name": volume.claim, "namespace": home.metadata.name},
        spec={
            "access_modes": ["ReadWriteMany"],
            "storage_class_name": volume.storage_class,
            "volume_name": volume.name(owner),
            "resources": {"requests": {"storage": f"{volume.gib}Gi"}},
        },
        opts=pulumi.ResourceOptions(parent=home),
    )
