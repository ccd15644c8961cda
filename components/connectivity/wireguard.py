"""WireGuard's texts: keys as `wg genkey` and `wg pubkey` make them, and what server and users are configured with."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Address, IPv4Network

KEY_BYTES: Final = 32
KEEPALIVE_S: Final = 25  # keeps the way back open through nearly every NAT (wireguard.com/quickstart)


def private_key(random: str) -> str:
    """A private key in base64 from 32 random bytes in base64, clamped as RFC 7748 section 5 says.

    Raises:
        ValueError: not 32 bytes.
    """
    octets = bytearray(base64.b64decode(random, validate=True))
    if len(octets) != KEY_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes, not {len(octets)}")
    octets[0] &= 0b1111_1000
    octets[-1] = octets[-1] & 0b0111_1111 | 0b0100_0000
    return base64.b64encode(bytes(octets)).decode()


def public_key(private: str) -> str:
    """The public half of a private key, both in base64."""
    key = X25519PrivateKey.from_private_bytes(base64.b64decode(private, validate=True))
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def server_text(*, private: str, port: int) -> str:
    """The server's own part of what `wg syncconf` reads."""
    return f"[Interface]\nPrivateKey = {private}\nListenPort = {port}\n"


def peer_text(*, public: str, preshared: str, address: IPv4Address) -> str:
    """One user's part of what `wg syncconf` reads."""
    return f"[Peer]\nPublicKey = {public}\nPresharedKey = {preshared}\nAllowedIPs = {address}/32\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one user imports into a WireGuard client.

    Args:
        private: the user's own key.
        address: the user's address in the tunnel.
        server: the gateway's public key.
        endpoint: where the gateway answers, host and port.
        routes: networks that are reached through it; everything else goes its usual way.
    """

    private: str
    address: IPv4Address
    server: str
    preshared: str
    endpoint: str
    routes: Sequence[IPv4Network]

    def text(self) -> str:
        """The profile as a file for `wg-quick` and the clients of every system."""
        return (
            f"[Interface]\nPrivateKey = {self.private}\nAddress = {self.address}/32\n\n"
            f"[Peer]\nPublicKey = {self.server}\nPresharedKey = {self.preshared}\nEndpoint = {self.endpoint}\n"
            f"AllowedIPs = {', '.join(str(each) for each in self.routes)}\nPersistentKeepalive = {KEEPALIVE_S}\n"
        )
