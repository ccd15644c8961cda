"""Cuts the cluster's address range as a VPC-native GKE cluster needs it. Pure: no SDK, no cloud."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDEST: Final = 9  # a pod range is at most a /9 (GKE docs, flexible pod CIDR), and pods get half of the network
NARROWEST: Final = 20  # then the range of managed services is a /24, the least that service networking takes
LUSTRE_PREFIX: Final = 23  # of the range of one instance (Managed Lustre docs, Configure a VPC network)
SERVICES_BITS: Final = 4  # managed services get a sixteenth
CONTROL_PLANE: Final = 28  # of every private GKE control plane
# Pods per node and the range that a node takes of the pods' (GKE docs, flexible pod CIDR: twice the pods, rounded up).
PODS_PER_NODE: Final = ((110, 24), (64, 25), (32, 26), (16, 27))
# Where the networks of GPU fabrics lie; they are VPCs of their own, but a node is in all of them at once.
FABRIC_RANGES: Final = (IPv4Network("192.168.0.0/16"), IPv4Network("172.20.0.0/16"), IPv4Network("10.254.0.0/16"))
FABRIC_PREFIX: Final = 22  # a thousand nodes in each, and 64 of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """Parts of the network; none overlaps another.

    Args:
        pods: half of the network; each node takes a block of it.
        services: what Google's managed services (Lustre, Filestore) are given.
        kubernetes_services: cluster-internal addresses of services.
        pods_per_node: the most that still lets every node have its block.
    """

    nodes: IPv4Network
    pods: IPv4Network
    kubernetes_services: IPv4Network
    services: IPv4Network
    control_plane: IPv4Network
    pods_per_node: int


def ranges(cidr: IPv4Network, *, nodes: int) -> Ranges:
    """Half for pods, a quarter for nodes, an eighth for services, a sixteenth for managed services.

    10.64.0.0/16 gives 128 nodes with 110 pods each, or 1,024 with 16.

    Raises:
        ValueError: too wide, or too narrow for that many nodes; the message says which.
    """
    if cidr.prefixlen + 1 < WIDEST or cidr.prefixlen > NARROWEST:
        raise ValueError(f"{cidr} must be between a /{WIDEST - 1} and a /{NARROWEST} for a GKE cluster")
    if nodes > count_room(cidr):
        raise ValueError(f"{cidr} is too narrow for {nodes} nodes: take a wider range")
    pods, rest = cidr.subnets(prefixlen_diff=1)
    primary, rest = rest.subnets(prefixlen_diff=1)
    kubernetes_services, rest = rest.subnets(prefixlen_diff=1)
    services, rest = rest.subnets(prefixlen_diff=1)
    fitting = [most for most, block in PODS_PER_NODE if 2 ** max(block - pods.prefixlen, 0) >= nodes]
    return Ranges(
        nodes=primary,
        pods=pods,
        kubernetes_services=kubernetes_services,
        services=services,
        control_plane=next(rest.subnets(new_prefix=CONTROL_PLANE)),
        pods_per_node=fitting[0],
    )


def count_room(cidr: IPv4Network, *, lustre: bool = False) -> int:
    """Nodes whose pods find addresses in a range, with the fewest pods on each; 0 where it is too narrow for any.

    Args:
        lustre: whether Managed Lustre takes a range, too.
    """
    narrowest = min(NARROWEST, LUSTRE_PREFIX - SERVICES_BITS) if lustre else NARROWEST
    if cidr.prefixlen > narrowest:
        return 0
    _, block = PODS_PER_NODE[-1]
    return int(cidr.num_addresses // 2 >> (32 - block))


def fabric_ranges(count: int, *, taken: Sequence[IPv4Network]) -> tuple[IPv4Network, ...]:
    """`count` ranges for GPU networks, outside everything that is `taken`.

    Raises:
        ValueError: every range that these networks may have overlaps something taken, or they are too many.
    """
    for whole in FABRIC_RANGES:
        parts = tuple(whole.subnets(new_prefix=FABRIC_PREFIX))
        if len(parts) >= count and not any(whole.overlaps(each) for each in taken):
            return parts[:count]
    raise ValueError(f"no range is left for GPU networks: one of {', '.join(map(str, FABRIC_RANGES))} must be free")
