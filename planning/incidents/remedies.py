"""How a machine is replaced: by an API where there is one, else by a ticket. One table by what builds the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from planning.incidents import node_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.incidents.node import Node
    from planning.spec.cluster import ClusterSpec, Pool

NODE_GROUP: Final = "eks.amazonaws.com/nodegroup"
KARPENTER: Final = "karpenter.sh/nodepool"
FAULT: Final = "cloud.google.com/fault-behavior"
# Machines of which GKE takes a report of a faulty host, bound to a reservation (catalogs/sources.csv, gke-faulty-host).
REPORTABLE: Final = ("a4x-", "a4-", "a3-ultragpu-", "a3-megagpu-", "a3-highgpu-8g")
RESERVED: Final = frozenset({"reserved", "capacity_block"})


class Way(StrEnum):
    """By what a machine is replaced."""

    AWS_GROUP = "aws_group"
    """The instance is ended, and its node group starts another one."""
    NODE = "node"
    """The node object is deleted, and Karpenter ends the instance and starts another one when pods wait."""
    GKE_REPORT = "gke_report"
    """A label reports the host as faulty, and GKE moves the node to another one."""
    TICKET = "ticket"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """How one machine is replaced."""

    way: Way
    words: str


def remedy(spec: ClusterSpec, node: Node, pool: Pool) -> Remedy:
    """How the machine of a node is replaced."""
    return _BY_TARGET.get(spec.placement.target, _ticket)(spec, node, pool)


def _aws(_spec: ClusterSpec, node: Node, _pool: Pool) -> Remedy:
    if node.labels.get(NODE_GROUP) and node.machine_id.startswith("i-"):
        group = node.labels[NODE_GROUP]
        return Remedy(
            way=Way.AWS_GROUP, words=f"instance {node.machine_id} is ended, node group {group} starts another"
        )
    if node.labels.get(KARPENTER):
        return Remedy(
            way=Way.NODE, words="the node is deleted, Karpenter ends its instance and starts another on demand"
        )
    return Remedy(way=Way.TICKET, words="neither a node group nor Karpenter holds it: a ticket is written")


def _gcp(spec: ClusterSpec, node: Node, pool: Pool) -> Remedy:
    machine = node.labels.get(node_labels.MACHINE, pool.machine)
    if machine.startswith(REPORTABLE) and pool.kind in RESERVED:
        return Remedy(way=Way.GKE_REPORT, words=f"its host is reported to Google as faulty, by the label {FAULT}")
    return _ticket(spec, node, pool)


def _ticket(spec: ClusterSpec, _node: Node, pool: Pool) -> Remedy:
    if spec.profile.node_repair == "provider":
        return Remedy(
            way=Way.TICKET,
            words=f"{spec.placement.provider} repairs nodes itself; a ticket is written, in case it does not",
        )
    if pool.min_nodes < pool.max_nodes and spec.profile.autoscaler != "none":
        scaled = "its scaler takes the empty node away and starts another when pods wait"
        return Remedy(way=Way.TICKET, words=f"{scaled}; a ticket is written, in case the machine comes back")
    return Remedy(way=Way.TICKET, words=f"no API of {spec.placement.provider} is used: a ticket is written")


_BY_TARGET: Final[Mapping[str, Callable[[ClusterSpec, Node, Pool], Remedy]]] = {"aws": _aws, "gcp": _gcp}
