"""What Karpenter may start for one pool: a node class (what a machine is made of) and a node pool (how many, how)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.clouds.aws.nodepools.launch_template import FIRST_CARD_WITHOUT_EFA, ROOT_DEVICE, has_fabric
from components.context.hardware import labels, taints
from planning.platform.base_layer_software import elastic_nodes
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Pool

# github.com/awslabs/amazon-eks-ami/releases/tag/v20260903: images of Kubernetes 1.31 to 1.36; Karpenter takes the
# variant that has the driver of the machine.
IMAGE: Final = "al2023@v20260903"
ARCHITECTURES: Final = {"x86_64": "amd64", "arm64": "arm64"}
CAPACITY: Final[Mapping[str, tuple[str, ...]]] = {"spot": ("spot",), "capacity_block": ("reserved",)}
ON_DEMAND: Final = "on-demand"
RESERVED: Final = "reserved"
EMPTY_FOR: Final = "10m"  # an idle node is kept this long, since the next job often comes soon
CPU_NODE_AGE: Final = "720h"  # Karpenter's own default; accelerator nodes are never replaced for their age
NEVER: Final = "Never"


@dataclass(frozen=True, kw_only=True)
class Karpenter:
    """Where Karpenter's nodes join. Names instead of ids: nothing unknown stands beside what is priced.

    Args:
        provider: the cluster.
        node_role: name of the nodes' IAM role.
        subnets: names of the subnets the pool may start in.
    """

    provider: kubernetes.Provider
    cluster_name: str
    node_role: str
    subnets: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class ElasticArgs:
    """One pool's elastic part.

    Args:
        reservation: id of its capacity reservation or capacity block, None where there is none.
        fabric_group: name of its security group for EFA; "" where it has no fabric.
        placement_group: "" for none.
        tags: of its machines and disks.
    """

    pool: Pool
    karpenter: Karpenter
    key_alias: str
    reservation: pulumi.Input[str] | None
    fabric_group: str
    placement_group: str
    tags: Mapping[str, str]


def register_elastic_pool(
    name: str, args: ElasticArgs, *, parent: pulumi.Resource, needs: Sequence[pulumi.Resource]
) -> None:
    """The pool's node class, and its node pool, which is destroyed before it.

    Raises:
        InputError: a spot pool has a reservation.
    """
    pool = args.pool
    if pool.kind == "spot" and args.reservation is not None:
        raise InputError(
            f"pool {pool.name} is bought as spot, and a reservation is paid for whether it is used or not",
            hint=f"remove atoll:capacityReservations.{pool.name} from the stack's settings",
        )
    inside = pulumi.ResourceOptions(parent=parent, provider=args.karpenter.provider, depends_on=list(needs))
    made_of = kubernetes.apiextensions.CustomResource(
        name,
        api_version="karpenter.k8s.aws/v1",
        kind="EC2NodeClass",
        metadata={"name": pool.name},
        spec=_node_class(args),
        opts=inside,
    )
    kubernetes.apiextensions.CustomResource(
        name,
        api_version="karpenter.sh/v1",
        kind="NodePool",
        metadata={"name": pool.name},
        spec=_node_pool(pool, reserved=args.reservation is not None),
        opts=pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[made_of])),
    )


def _node_class(args: ElasticArgs) -> dict[str, object]:
    """As a launch template: IMDSv2 only and not for pods, an encrypted root disk, local NVMe as one scratch space."""
    pool, karpenter = args.pool, args.karpenter
    groups: list[dict[str, object]] = [{"tags": {"aws:eks:cluster-name": karpenter.cluster_name}}]
    disk = {"volumeType": "gp3", "volumeSize": f"{pool.disk_gb}Gi", "encrypted": True, "kmsKeyID": args.key_alias}
    spec: dict[str, object] = {
        "amiSelectorTerms": [{"alias": IMAGE}],
        "role": karpenter.node_role,
        "subnetSelectorTerms": [{"tags": {"Name": subnet}} for subnet in karpenter.subnets],
        "securityGroupSelectorTerms": groups,
        "metadataOptions": {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [
            {"deviceName": ROOT_DEVICE, "rootVolume": True, "ebs": {**disk, "deleteOnTermination": True}}
        ],
        "tags": dict(args.tags),
    }
    if pool.local_nvme_gb:
        spec["instanceStorePolicy"] = "RAID0"
    if has_fabric(pool):
        groups.append({"tags": {"Name": args.fabric_group}})
        spec["networkInterfaces"] = _interfaces(pool)
    else:
        spec["associatePublicIPAddress"] = False  # may be said of one interface only; private subnets give none
    if args.placement_group:
        spec["placementGroupSelector"] = {"name": args.placement_group}
    if args.reservation is not None:
        spec["capacityReservationSelectorTerms"] = [{"id": args.reservation}]
    return spec


def _interfaces(pool: Pool) -> list[dict[str, object]]:
    """One interface with an address, and one for EFA alone on each card, as in the launch template."""
    first = 1 if pool.machine in FIRST_CARD_WITHOUT_EFA else 0
    cards = range(first, first + pool.efa_interfaces)
    return [
        {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
        *({"networkCardIndex": card, "deviceIndex": 0 if card else 1, "interfaceType": "efa-only"} for card in cards),
    ]


def capacity_types(pool: Pool, *, reserved: bool) -> tuple[str, ...]:
    """What Karpenter may buy; of several it takes reserved before spot, and spot before on demand."""
    fallback = (ON_DEMAND,) if pool.fallback == "on_demand" else ()
    booked = (RESERVED,) if reserved else ()
    return tuple(dict.fromkeys((*booked, *CAPACITY.get(pool.kind, (ON_DEMAND,)), *fallback)))


def _node_pool(pool: Pool, *, reserved: bool) -> dict[str, object]:
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
    return {
        "template": {"metadata": {"labels": labels(pool)}, "spec": node},
        "limits": _limits(pool),
        "disruption": _disruption(pool, reserved=reserved),
    }


def _limits(pool: Pool) -> dict[str, str]:
    """The end of the pool's spend.

    Karpenter's scheduler holds a pool to its cores; a number of nodes alone it checks too late
    (kubernetes-sigs/karpenter issues 2657 and 2915).
    """
    most = elastic_nodes(pool)
    return {"nodes": str(most), **({"cpu": str(pool.vcpus * most)} if pool.vcpus else {})}


def _disruption(pool: Pool, *, reserved: bool) -> dict[str, object]:
    """Reserved nodes are paid for anyway, and may not come back; a busy accelerator node is never taken away."""
    if reserved:
        return {"consolidationPolicy": "WhenEmpty", "consolidateAfter": NEVER, "budgets": [{"nodes": "0"}]}
    busy = [{"nodes": "0", "reasons": ["Underutilized", "Drifted"]}] if pool.role == "gpu" else []
    idle = {"nodes": "100%", "reasons": ["Empty"]} if busy else {"nodes": "10%"}
    return {"consolidationPolicy": "WhenEmpty", "consolidateAfter": EMPTY_FOR, "budgets": [*busy, idle]}
