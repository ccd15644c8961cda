"""Storage classes of AWS: who provisions a volume, encrypted with which key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import pulumi
import pulumi_kubernetes as kubernetes

DISK: Final = "atoll-disk"


@dataclass(frozen=True, kw_only=True)
class ClassesArgs:
    """The key of every volume."""

    key_arn: pulumi.Input[str]


@final
class Classes(pulumi.ComponentResource):
    """`atoll-disk`, the default: EBS volumes that outlive their claim."""

    def __init__(self, name: str, args: ClassesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:storage:Classes", name, {}, opts)
        kubernetes.storage.v1.StorageClass(
            DISK,
            metadata={"name": DISK, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
            provisioner="ebs.csi.aws.com",
            parameters={"type": "gp3", "encrypted": "true", "kmsKeyId": args.key_arn},
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            reclaim_policy="Retain",
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})
