"""What is kept of upstream's manifests whatever happens to the stack: definitions and volumes with people's work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi

from components.platform.building_blocks.manifests import Patch

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Ground

DEFINITION: Final = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
CLAIM: Final = "kubernetes:core/v1:PersistentVolumeClaim"
NAMESPACE: Final = "kubernetes:core/v1:Namespace"


def keeper(token: str, *, ending: str = "", protect: bool = False) -> pulumi.ResourceTransform:
    """Leave objects of a type in the cluster when the stack forgets them.

    Args:
        token: their type.
        ending: of their logical name; "" for all of the type.
        protect: refuse to delete them, too. Not on a cluster of the stack's own, which could never be destroyed then.
    """

    def keep(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != token or not args.name.endswith(ending):
            return None
        kept = pulumi.ResourceOptions(protect=protect or None, retain_on_delete=True)
        return pulumi.ResourceTransformResult(props=args.props, opts=pulumi.ResourceOptions.merge(args.opts, kept))

    return keep


def claims(ground: Ground) -> tuple[Patch, ...]:
    """Have volumes on the cluster's network disks, where its default class may be another."""
    disk = ground.volume_class
    return (
        (Patch(kind="PersistentVolumeClaim", name=".*", change={"spec": {"storageClassName": disk}}),) if disk else ()
    )
