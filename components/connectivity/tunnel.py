"""What the two ends of a tunnel to the main cloud tell each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_random as random

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Network

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


# Letters and digits only, which every gateway takes as they are; 48 of them are 285 bits, above those of the cipher.
LENGTH: Final = 48


def generate_preshared_key(*, parent: pulumi.Resource) -> pulumi.Output[str]:
    """A secret, which is made once and kept in the state."""
    made = random.RandomPassword("main-cloud", length=LENGTH, special=False, opts=pulumi.ResourceOptions(parent=parent))
    return pulumi.Output.secret(made.result)
