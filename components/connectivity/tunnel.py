"""What the two ends of a tunnel to the main cloud tell each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Network

    import pulumi

    from planning.spec.cluster import Link, Placement


@dataclass(frozen=True, kw_only=True)
class MainSideArgs:
    """What the main cloud's end is built from.

    Args:
        network: range of the cluster's network.
        address: public address that the cluster's traffic leaves from, its NAT's where there is one.
        gateway: id of a VPN gateway that the VPC has already; "" where one is to be made.
        peer: public address of that gateway, where its cloud does not tell it.
        tags: tags of everything in the stack.
    """

    placement: Placement
    link: Link
    network: IPv4Network
    address: str
    gateway: str
    peer: str
    tags: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Tunnel:
    """One tunnel as its main side wants it: where it answers, and the key that both sides share."""

    address: pulumi.Output[str]
    key: pulumi.Output[str]
