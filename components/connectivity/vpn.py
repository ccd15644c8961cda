"""Keys and profiles of the VPN: generated once, kept as secrets, rotated by a counter in the stack's settings."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_random as random
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from planning.values.addresses import server_address, user_address
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Address

    from components.context.placement import PlacementContext
    from planning.spec.cluster import Gateway


KEY_BYTES: Final = 32
KEEPALIVE_S: Final = 25  # keeps the mapping of nearly every NAT open (wireguard.com/quickstart)


def private_key(random: str) -> str:
    """A private key in base64 from 32 random bytes in base64, clamped (RFC 7748, section 5).

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
    """The server's section of the configuration of `wg syncconf`."""
    return f"[Interface]\nPrivateKey = {private}\nListenPort = {port}\n"


def peer_text(*, public: str, preshared: str, address: IPv4Address) -> str:
    """One user's section of the configuration of `wg syncconf`."""
    return f"[Peer]\nPublicKey = {public}\nPresharedKey = {preshared}\nAllowedIPs = {address}/32\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class WireGuardProfile:
    """Profile of one user, for a WireGuard client.

    Args:
        private: the user's private key.
        address: the user's address in the tunnel.
        server: the gateway's public key.
        endpoint: host and port of the gateway.
        routes: networks behind the tunnel; all other traffic bypasses it.
    """

    private: str
    address: IPv4Address
    server: str
    preshared: str
    endpoint: str
    routes: Sequence[IPv4Network]

    def render(self) -> str:
        """The profile as a file of `wg-quick`, which every client reads."""
        return (
            f"[Interface]\nPrivateKey = {self.private}\nAddress = {self.address}/32\n\n"
            f"[Peer]\nPublicKey = {self.server}\nPresharedKey = {self.preshared}\nEndpoint = {self.endpoint}\n"
            f"AllowedIPs = {', '.join(str(each) for each in self.routes)}\nPersistentKeepalive = {KEEPALIVE_S}\n"
        )


@final
class VpnKeys(pulumi.ComponentResource):
    """A key pair for the gateway and for each user, and a preshared key between the two.

    Raises:
        InputError: a rotation counter names an unknown user.

    Attributes:
        server: the server's section of its configuration, secret.
        peers: the section of each user, secret.
    """

    server: pulumi.Output[str]
    peers: Mapping[str, pulumi.Output[str]]

    def __init__(self, site: PlacementContext, gateway: Gateway, *, parent: pulumi.Resource) -> None:
        """Counters in the stack's settings rotate all keys, or those of one user."""
        users, settings = [user.name for user in site.spec.access.users], site.settings
        super().__init__("atoll:access:VpnKeys", "vpn-keys", {"users": users}, pulumi.ResourceOptions(parent=parent))
        strangers = sorted(set(settings.vpn_rotations) - set(users))
        if strangers:
            raise InputError(
                f"atoll:vpnRotations names {', '.join(strangers)}, who is not a user in the lock",
                hint=f"its users are {', '.join(users) or 'none'}",
            )
        self._gateway = gateway
        self._routes = (site.spec.network.cidr, IPv4Network(server_address(gateway.cidr)))
        self._server = _create_private_key("server", str(settings.vpn_rotation), parent=self)
        counters = {user: f"{settings.vpn_rotation}.{settings.vpn_rotations.get(user, 0)}" for user in users}
        self._private = {
            user: _create_private_key(f"user-{user}", count, parent=self) for user, count in counters.items()
        }
        self._preshared = {
            user: _create_random_key(f"preshared-{user}", count, parent=self) for user, count in counters.items()
        }
        port = gateway.port
        self.server = pulumi.Output.secret(self._server.apply(lambda private: server_text(private=private, port=port)))
        self.peers = {user: self._build_peer(user) for user in users}
        self.register_outputs({})

    def build_profiles(self, *, host: pulumi.Input[str]) -> dict[str, pulumi.Output[str]]:
        """The profile of each user, secret; `host` is the gateway's address."""
        return {user: self._build_profile(user, host=host) for user in self._private}

    def _build_peer(self, user: str) -> pulumi.Output[str]:
        address = user_address(user, self._gateway.cidr)
        known = pulumi.Output.all(self._private[user], self._preshared[user])
        return pulumi.Output.secret(
            known.apply(lambda keys: peer_text(public=public_key(keys[0]), preshared=keys[1], address=address))
        )

    def _build_profile(self, user: str, *, host: pulumi.Input[str]) -> pulumi.Output[str]:
        gateway, routes = self._gateway, self._routes

        def text(keys: Sequence[str]) -> str:
            private, preshared, server, answers_at = keys
            return WireGuardProfile(
                private=private,
                address=user_address(user, gateway.cidr),
                server=public_key(server),
                preshared=preshared,
                endpoint=f"{answers_at}:{gateway.port}",
                routes=routes,
            ).render()

        known = pulumi.Output.all(self._private[user], self._preshared[user], self._server, host)
        return pulumi.Output.secret(known.apply(text))


def _create_private_key(name: str, counter: str, *, parent: VpnKeys) -> pulumi.Output[str]:
    return _create_random_key(name, counter, parent=parent).apply(private_key)


def _create_random_key(name: str, counter: str, *, parent: VpnKeys) -> pulumi.Output[str]:
    made = random.RandomBytes(
        name,
        length=KEY_BYTES,
        keepers={"rotation": counter},
        opts=pulumi.ResourceOptions(parent=parent, additional_secret_outputs=["base64", "hex"]),
    )
    return pulumi.Output.secret(made.base64)


# End of the first-start script; it runs after the script of the timer has been written.
UNITS: Final = """\
chmod 700 /usr/local/sbin/atoll-vpn
cat > /etc/systemd/system/atoll-vpn.service <<'END'
[Unit]
Description=Users of the VPN, as the stack says
After=network-online.target
Wants=network-online.target
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/atoll-vpn
END
cat > /etc/systemd/system/atoll-vpn.timer <<'END'
[Unit]
Description=Users of the VPN, every minute
[Timer]
OnBootSec=5
OnUnitInactiveSec=60
[Install]
WantedBy=timers.target
END
systemctl daemon-reload
systemctl enable --now atoll-vpn.timer
"""
