"""Splits the cluster's address range into one private and one public subnet for each zone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Network

WIDEST_PREFIX: Final = 16  # an AWS VPC, the strictest of the clouds, is at most a /16
NARROWEST_PREFIX: Final = 28  # and a subnet at least a /28 (docs.aws.amazon.com/vpc subnet sizing)
MOST_ZONES: Final = 6
# Of a whole cluster where it is narrower than zones alone would need: CoreWeave's hosts take a /18, its pods a /17.
NARROWEST_RANGES: Final[Mapping[str, int]] = {"coreweave": 16}


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
