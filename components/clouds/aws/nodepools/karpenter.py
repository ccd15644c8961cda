"""Karpenter's objects of one pool: a node class (machine configuration) and a node pool (limits and disruption)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.clouds.aws.nodepools.launch_template import ROOT_DEVICE, has_fabric, list_efa_cards
from components.context.hardware import labels, taints
from planning.platform.base_layer_software import elastic_nodes
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.aws.nodepools.launch_template import PoolNodes
    from planning.spec.cluster import Pool

# github.com/awslabs/amazon-eks-ami/releases/tag/v20260903: images of Kubernetes 1.31 to 1.36; Karpenter takes the
# variant that has the driver of the machine.
IMAGE: Final = "al2023@v20260903"
ARCHITECTURES: Final = {"x86_64": "amd64", "arm64": "arm64"}
CAPACITY: Final[Mapping[str, tuple[str, ...]]] = {"spot": ("spot",), "capacity_block": ("reserved",)}
ON_DEMAND: Final = "on-demand"
RESERVED: Final = "reserved"
EMPTY_FOR: Final = "10m"  # the next job often comes soon
CPU_NODE_AGE: Final = "720h"  # Karpenter's own default; accelerator nodes are never replaced for their age
NEVER: Final = "Never"


def register_elastic_pool(name: str, nodes: PoolNodes, *, inside: kubernetes.Provider, parent: pulumi.Resource) -> None:
    """Raises InputError where a spot pool has a reservation."""
    pool = nodes.pool
    if pool.kind == "spot" and nodes.reservation is not None:
        raise InputError(
            f"pool {pool.name} is bought as spot, and a reservation is paid for whether it is used or not",
            hint=f"remove atoll:capacityReservations.{pool.name} from the stack's settings",
        )
    options = pulumi.ResourceOptions(parent=parent, provider=inside, depends_on=nodes.needs)
    node_class = kubernetes.apiextensions.CustomResource(
        name,
        api_version="karpenter.k8s.aws/v1",
        kind="EC2NodeClass",
        metadata={"name": pool.name},
        spec=_build_node_class(nodes),
        opts=options,
    )
    kubernetes.apiextensions.CustomResource(
        name,
        api_version="karpenter.sh/v1",
        kind="NodePool",
        metadata={"name": pool.name},
        spec=_build_node_pool(pool, reserved=nodes.reservation is not None),
        opts=pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=[node_class])),
    )


def _build_node_class(nodes: PoolNodes) -> dict[str, object]:
    """As the launch template: IMDSv2 only and not for pods, an encrypted root disk, local NVMe as one scratch space."""
    pool, here = nodes.pool, nodes.here
    # By names and tags, not by ids: an unknown value would hide the priced ones in a preview.
    groups: list[dict[str, object]] = [{"tags": {"aws:eks:cluster-name": here.cluster.name}}]
    disk = {"volumeType": "gp3", "volumeSize": f"{pool.disk_gb}Gi", "encrypted": True, "kmsKeyID": here.key.alias}
    spec: dict[str, object] = {
        "amiSelectorTerms": [{"alias": IMAGE}],
        "role": here.cluster.node_role_name,
        "subnetSelectorTerms": [{"tags": {"Name": here.network.private_names[index]}} for index in nodes.subnets],
        "securityGroupSelectorTerms": groups,
        "metadataOptions": {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [
            {"deviceName": ROOT_DEVICE, "rootVolume": True, "ebs": {**disk, "deleteOnTermination": True}}
        ],
        "tags": nodes.tags,
    }
    if pool.local_nvme_gb:
        spec["instanceStorePolicy"] = "RAID0"
    if has_fabric(pool):
        groups.append({"tags": {"Name": nodes.shown}})
        # One interface with an address, and one for EFA alone on each card, as in the launch template.
        spec["networkInterfaces"] = [
            {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
            *(
                {"networkCardIndex": card, "deviceIndex": 0 if card else 1, "interfaceType": "efa-only"}
                for card in list_efa_cards(pool)
            ),
        ]
    else:
        spec["associatePublicIPAddress"] = False  # allowed with one interface only; private subnets assign none anyway
    if nodes.close is not None:
        spec["placementGroupSelector"] = {"name": nodes.shown}
    if nodes.reservation is not None:
        spec["capacityReservationSelectorTerms"] = [{"id": nodes.reservation}]
    return spec


def capacity_types(pool: Pool, *, reserved: bool) -> tuple[str, ...]:
    """Capacity types; Karpenter prefers reserved over spot, and spot over on demand."""
    fallback = (ON_DEMAND,) if pool.fallback == "on_demand" else ()
    booked = (RESERVED,) if reserved else ()
    return tuple(dict.fromkeys((*booked, *CAPACITY.get(pool.kind, (ON_DEMAND,)), *fallback)))


def _build_node_pool(pool: Pool, *, reserved: bool) -> dict[str, object]:
    required = {
        "node.kubernetes.io/instance-type": (pool.machine,),
        "karpenter.sh/capacity-type": capacity_types(pool, reserved=reserved),
        "kubernetes.io/arch": (ARCHITECTURES[pool.architecture],),
        "kubernetes.io/os": ("linux",),
    }
    node: dict[str, object] = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": pool.name},
        "requirements": [{"key": key, "operator": "In", "values": list(each)} for key, each in required.items()],
        "expireAfter": NEVER if pool.role == "gpu" or reserved else CPU_NODE_AGE,
    }
    if kept := taints(pool, burn_in=False):
        node["taints"] = [{"key": key, "value": value, "effect": "NoSchedule"} for key, value in kept]
    # Karpenter's scheduler enforces the limit of cores; that of nodes alone it checks too late
    # (kubernetes-sigs/karpenter issues 2657 and 2915). These limits bound the pool's spend.
    most = elastic_nodes(pool)
    return {
        "template": {"metadata": {"labels": labels(pool)}, "spec": node},
        "limits": {"nodes": str(most), **({"cpu": str(pool.vcpus * most)} if pool.vcpus else {})},
        "disruption": _disruption(pool, reserved=reserved),
    }


def _disruption(pool: Pool, *, reserved: bool) -> dict[str, object]:
    # Reserved nodes are paid for anyway and may not be available again; a busy accelerator node is never removed.
    if reserved:
        return {"consolidationPolicy": "WhenEmpty", "consolidateAfter": NEVER, "budgets": [{"nodes": "0"}]}
    busy = [{"nodes": "0", "reasons": ["Underutilized", "Drifted"]}] if pool.role == "gpu" else []
    idle = {"nodes": "100%", "reasons": ["Empty"]} if busy else {"nodes": "10%"}
    return {"consolidationPolicy": "WhenEmpty", "consolidateAfter": EMPTY_FOR, "budgets": [*busy, idle]}
