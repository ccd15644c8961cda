"""Addresses inside the VPN: a range of its own, and one address in it for each user, which never moves."""

from __future__ import annotations

from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    """The gateway's own address in the tunnel."""
    return cidr[1]


def user_address(user: str, cidr: IPv4Network) -> IPv4Address:
    """A user's address in the tunnel, from the name alone: nobody's address moves when somebody comes or goes.

    The price is that two names may meet, once in 65,000 pairs; `atoll check` then asks for another name.
    """
    places = cidr.num_addresses - RESERVED - 1  # and the broadcast address
    number = int.from_bytes(sha256(user.encode()).digest()[:8], "big") % places
    return cidr[RESERVED + number]
