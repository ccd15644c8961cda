"""Launch templates: what each machine of a pool is made of. Priced parts are plain, identities stand apart."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Pool

ROOT_DEVICE: Final = "/dev/xvda"  # of every AL2023 image of EKS
# Its first card carries no EFA (17 cards, 16 interfaces; aws ec2 describe-instance-types).
FIRST_CARD_WITHOUT_EFA: Final = frozenset({"p6-b300.48xlarge"})
TAGGED: Final = ("instance", "volume", "network-interface")
# Local NVMe disks become one striped file system under the kubelet: scratch space of pods, emptied with the node.
SCRATCH: Final = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0
--//--
"""


@dataclass(frozen=True, kw_only=True)
class TemplateArgs:
    """One pool's machines, and what they join.

    Args:
        fabric_group: id of the pool's security group for EFA, None where it has no fabric.
        placement_group: name; "" for none.
    """

    pool: Pool
    cluster_security_group: pulumi.Input[str]
    fabric_group: pulumi.Input[str] | None
    placement_group: str
    key_alias: str
    reservation: pulumi.Input[str] | None
    tags: Mapping[str, str]


def has_fabric(pool: Pool) -> bool:
    """Whether the nodes talk to each other over EFA: one node alone has nobody to talk to."""
    return pool.efa_interfaces > 0 and pool.max_nodes > 1


def launch_template(name: str, args: TemplateArgs, *, parent: pulumi.Resource) -> aws.ec2.LaunchTemplate:
    """IMDSv2 only, with a hop limit of 1 so that pods cannot take the node's role; the root disk encrypted."""
    pool = args.pool
    return aws.ec2.LaunchTemplate(
        name,
        capacity_reservation_specification=_reservation(args.reservation),
        metadata_options={"http_endpoint": "enabled", "http_tokens": "required", "http_put_response_hop_limit": 1},
        block_device_mappings=[
            {
                "device_name": ROOT_DEVICE,
                "ebs": {
                    "volume_type": "gp3",
                    "volume_size": pool.disk_gb,
                    "encrypted": "true",
                    "kms_key_id": args.key_alias,
                    "delete_on_termination": "true",
                },
            }
        ],
        network_interfaces=None if args.fabric_group is None else _interfaces(args, fabric=args.fabric_group),
        placement={"group_name": args.placement_group} if args.placement_group else None,
        user_data=base64.b64encode(SCRATCH.encode()).decode() if pool.local_nvme_gb else None,
        tag_specifications=[{"resource_type": kind, "tags": dict(args.tags)} for kind in TAGGED],
        update_default_version=True,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _reservation(
    reservation: pulumi.Input[str] | None,
) -> aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs | None:
    if reservation is None:
        return None
    return aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(
        capacity_reservation_target=aws.ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
            capacity_reservation_id=reservation
        )
    )


def _interfaces(args: TemplateArgs, *, fabric: pulumi.Input[str]) -> list[aws.ec2.LaunchTemplateNetworkInterfaceArgs]:
    """The primary interface and one EFA on each card.

    Several cards: an ENA interface first, then EFA-only ones that take no address, the layout that AWS advises
    (docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html). One card: both on the one interface. Public
    addresses can be refused only where there is one interface; with several the private subnet gives none.
    """
    groups = [args.cluster_security_group, fabric]
    if args.pool.efa_interfaces == 1:
        return [_interface(card=0, device=0, kind="efa", groups=groups, public="false")]
    first = 1 if args.pool.machine in FIRST_CARD_WITHOUT_EFA else 0
    cards = range(first, first + args.pool.efa_interfaces)
    return [
        _interface(card=0, device=0, kind="interface", groups=groups),
        *(_interface(card=card, device=0 if card else 1, kind="efa-only", groups=groups) for card in cards),
    ]


def _interface(
    *, card: int, device: int, kind: str, groups: Sequence[pulumi.Input[str]], public: str | None = None
) -> aws.ec2.LaunchTemplateNetworkInterfaceArgs:
    return aws.ec2.LaunchTemplateNetworkInterfaceArgs(
        network_card_index=card,
        device_index=device,
        interface_type=kind,
        security_groups=list(groups),
        associate_public_ip_address=public,
        delete_on_termination="true",
    )
