"""Who may reach what: address ranges that are the whole world, and ports that may be open to it."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TYPE_CHECKING, Final

from planning.costs.resources.properties import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Collection

    from planning.costs.resources.properties import Properties

WIDEST_IPV4: Final = 8  # prefix of the largest private range (RFC 1918)
WIDEST_IPV6: Final = 16
LOCAL_IPV6: Final = IPv6Network("fc00::/7")  # RFC 4193


def world(at: Properties) -> bool:
    """Whether a range of addresses is the whole world, or a large part of it.

    Raises:
        UnreadableError: unknown, secret, or no range.
    """
    try:
        network = ip_network(at.text(), strict=False)
    except ValueError:
        raise UnreadableError(f"{at.path} is no range of addresses", path=at.path) from None
    if isinstance(network, IPv4Network):
        return network.prefixlen < WIDEST_IPV4
    return network.prefixlen < WIDEST_IPV6 and not network.subnet_of(LOCAL_IPV6)


def open_door(protocol: Properties, first: Properties, last: Properties, *, doors: Collection[str]) -> bool:
    """Whether that is one port that may be open to the world, as "udp/51820".

    Raises:
        UnreadableError: one of them is unknown, secret or of the wrong kind.
    """
    if not (protocol.said and first.said and last.said):
        return False
    name, low, high = protocol.text().lower(), first.number(), last.number()
    return low == high and f"{name}/{low:f}" in doors
