"""Addresses and names of a cluster: how its range is cut into subnets, the VPN's range, and what people open."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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
class GkeRanges:
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


def ranges(cidr: IPv4Network, *, nodes: int) -> GkeRanges:
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
    return GkeRanges(
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


WIDEST_PREFIX: Final = 16  # an AWS VPC, the strictest of the clouds, is at most a /16
NARROWEST_PREFIX: Final = 28  # and a subnet at least a /28 (docs.aws.amazon.com/vpc subnet sizing)
MOST_ZONES: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneSubnets:
    """Address ranges of one zone: nodes and pods in the private one, load balancers and gateways in the public one."""

    private: IPv4Network
    public: IPv4Network


def split(cidr: IPv4Network, *, zones: int) -> tuple[ZoneSubnets, ...]:
    """Ranges for `zones` zones.

    `cidr` is cut into equal blocks, one more than zones and rounded up to a power of two; each zone gets one as its
    private subnet, and the last block is cut again for the public ones. So 10.64.0.0/16 in three zones gives three
    private /18 with 16,384 addresses each (an EKS pod takes an address of its subnet) and three public /20.

    Raises:
        ValueError: too few or too many zones, or a range too wide or too narrow for them; the message says which.
    """
    if not 1 <= zones <= MOST_ZONES:
        raise ValueError(f"a network spans 1 to {MOST_ZONES} zones, not {zones}")
    if cidr.prefixlen < WIDEST_PREFIX:
        raise ValueError(f"{cidr} is too wide: a network is at most a /{WIDEST_PREFIX}")
    private_bits = zones.bit_length()  # 2**bits >= zones + 1
    public_bits = (zones - 1).bit_length()  # 2**bits >= zones
    prefix = cidr.prefixlen + private_bits + public_bits
    if prefix > NARROWEST_PREFIX:
        narrowest = NARROWEST_PREFIX - private_bits - public_bits
        raise ValueError(f"{cidr} is too narrow for {zones} zones: it must be a /{narrowest} or wider")
    blocks = tuple(cidr.subnets(prefixlen_diff=private_bits))
    public = blocks[-1].subnets(prefixlen_diff=public_bits)
    return tuple(
        ZoneSubnets(private=private, public=small)
        for private, small in zip(blocks, islice(public, zones), strict=False)
    )


# Private ranges that few networks use: not the 10.0, 10.96-10.111, 10.244, 172.16-172.20 and 192.168.0 to 192.168.1
# that clouds, Kubernetes distributions and home routers begin with. The first one that is free is taken.
RANGES: Final = tuple(
    IPv4Network(each) for each in ("172.27.0.0/16", "10.251.0.0/16", "172.30.0.0/16", "10.229.0.0/16", "10.37.0.0/16")
)
RESERVED: Final = 2  # network address and the server's own


def free_range(taken: Iterable[IPv4Network]) -> IPv4Network | None:
    """The first range that none of these networks touches; None where each is taken."""
    known = tuple(taken)
    return next((each for each in RANGES if not any(each.overlaps(other) for other in known)), None)


def server_address(cidr: IPv4Network) -> IPv4Address:
    return cidr[1]


def user_address(user: str, cidr: IPv4Network) -> IPv4Address:
    """A user's address in the tunnel, from the name alone, so that it stays when others come or go.

    The price is that two names may meet, once in 65,000 pairs; `atoll check` then asks for another name.
    """
    places = cidr.num_addresses - RESERVED - 1  # and the broadcast address
    number = int.from_bytes(sha256(user.encode()).digest()[:8], "big") % places
    return cidr[RESERVED + number]


PRIVATE_DOMAIN: Final = "atoll.internal"  # below it are the names of a cluster that has no domain of its own
HOSTS: Final[Mapping[str, str]] = {  # part to the name that people open it by; Dex redirects each back to itself
    "dashboard": "kubeflow",
    "dex": "auth",
    "prometheus": "grafana",
    "mlflow": "mlflow",
    "airflow": "airflow",
    "argo_cd": "argocd",
}
