"""Launch templates: the machine configuration of a pool. Priced properties are plain values."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from components.context.naming import pool_tags, tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.aws.cluster.context import ClusterContext
    from planning.spec.cluster import Pool

ROOT_DEVICE: Final = "/dev/xvda"  # of every AL2023 image of EKS
# Its first card carries no EFA (17 cards, 16 interfaces; aws ec2 describe-instance-types).
FIRST_CARD_WITHOUT_EFA: Final = frozenset({"p6-b300.48xlarge"})
TAGGED: Final = ("instance", "volume", "network-interface")
# Local NVMe disks become one striped file system of the kubelet: scratch space of pods, lost with the node.
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
class PoolNodes:
    """Configuration of a pool's nodes, for managed groups and Karpenter alike.

    Args:
        shown: name of the pool's security group and placement group.
        subnets: numbers of the private subnets that they may start in.
        reservation: id of the capacity reservation or capacity block.
        fabric: the pool's security group for EFA.
        close: the placement group.
    """

    pool: Pool
    here: ClusterContext
    shown: str
    subnets: Sequence[int]
    reservation: pulumi.Input[str] | None
    fabric: aws.ec2.SecurityGroup | None
    close: aws.ec2.PlacementGroup | None

    @property
    def tags(self) -> dict[str, str]:
        """Of machines and disks, which do not inherit those of the provider."""
        return pool_tags(self.pool, tags(self.here.spec))

    @property
    def needs(self) -> list[pulumi.Resource]:
        return [each for each in (self.fabric, self.close) if each is not None]


def has_fabric(pool: Pool) -> bool:
    """Whether the nodes use EFA between each other; a single node does not."""
    return pool.efa_interfaces > 0 and pool.max_nodes > 1


def create_launch_template(name: str, nodes: PoolNodes, *, parent: pulumi.Resource) -> aws.ec2.LaunchTemplate:
    # IMDSv2 only, with a hop limit of 1 so that pods cannot use the node's role.
    pool, reservation = nodes.pool, nodes.reservation
    return aws.ec2.LaunchTemplate(
        name,
        capacity_reservation_specification=(
            None if reservation is None else {"capacity_reservation_target": {"capacity_reservation_id": reservation}}
        ),
        metadata_options={"http_endpoint": "enabled", "http_tokens": "required", "http_put_response_hop_limit": 1},
        block_device_mappings=[
            {
                "device_name": ROOT_DEVICE,
                "ebs": {
                    "volume_type": "gp3",
                    "volume_size": pool.disk_gb,
                    "encrypted": "true",
                    "kms_key_id": nodes.here.key.alias,
                    "delete_on_termination": "true",
                },
            }
        ],
        network_interfaces=None if nodes.fabric is None else _build_interfaces(nodes, fabric=nodes.fabric),
        placement=None if nodes.close is None else {"group_name": nodes.shown},
        user_data=base64.b64encode(SCRATCH.encode()).decode() if pool.local_nvme_gb else None,
        tag_specifications=[{"resource_type": kind, "tags": nodes.tags} for kind in TAGGED],
        update_default_version=True,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def list_efa_cards(pool: Pool) -> range:
    """Numbers of the network cards that carry EFA."""
    first = 1 if pool.machine in FIRST_CARD_WITHOUT_EFA else 0
    return range(first, first + pool.efa_interfaces)


def _build_interfaces(
    nodes: PoolNodes, *, fabric: aws.ec2.SecurityGroup
) -> list[aws.ec2.LaunchTemplateNetworkInterfaceArgsDict]:
    """The primary interface and one EFA on each card."""
    of_all: aws.ec2.LaunchTemplateNetworkInterfaceArgsDict = {
        "security_groups": [nodes.here.cluster.security_group, fabric.id],
        "delete_on_termination": "true",
    }
    first: aws.ec2.LaunchTemplateNetworkInterfaceArgsDict = {**of_all, "network_card_index": 0, "device_index": 0}
    # One card: both on the one interface. Several: an ENA interface first, then EFA-only ones that take no address, the
    # layout that AWS advises (docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html). Public addresses
    # can be switched off only with one interface; with several the private subnet assigns none.
    if nodes.pool.efa_interfaces == 1:
        return [{**first, "interface_type": "efa", "associate_public_ip_address": "false"}]
    return [
        {**first, "interface_type": "interface"},
        *(
            {
                **of_all,
                "network_card_index": card,
                "device_index": 0 if card else 1,
                "interface_type": "efa-only",
            }
            for card in list_efa_cards(nodes.pool)
        ),
    ]
