"""Keys and profiles of the VPN: made once, kept as secrets, changed when a counter in the stack's settings moves."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_random as random

from components.connectivity.wireguard import KEY_BYTES, Profile, peer_text, private_key, public_key, server_text
from planning.values.errors import InputError
from planning.values.vpn_addresses import server_address, user_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Gateway

SECRETS: Final = ["base64", "hex"]


@dataclass(frozen=True, kw_only=True)
class VpnKeysArgs:
    """Whose keys, and how often they were changed.

    Args:
        users: names, in the checklist's order.
        rotation: counter of all keys, the server's among them.
        rotations: counters of single users, beside it.
    """

    gateway: Gateway
    users: Sequence[str]
    rotation: int
    rotations: Mapping[str, int]


@final
class VpnKeys(pulumi.ComponentResource):
    """A key pair for the gateway and for each user, and a preshared key between the two.

    Raises:
        InputError: a counter is for nobody.

    Attributes:
        server: the server's part of its configuration, a secret.
        peers: each user's part of it, secrets.
    """

    server: pulumi.Output[str]
    peers: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, args: VpnKeysArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:VpnKeys", name, {"users": list(args.users)}, opts)
        strangers = sorted(set(args.rotations) - set(args.users))
        if strangers:
            raise InputError(
                f"atoll:vpnRotations names {', '.join(strangers)}, and the lock knows no such user",
                hint=f"its users are {', '.join(args.users) or 'nobody'}",
            )
        self._gateway = args.gateway
        self._server = _private("server", str(args.rotation), parent=self)
        counters = {user: f"{args.rotation}.{args.rotations.get(user, 0)}" for user in args.users}
        self._private = {user: _private(f"user-{user}", count, parent=self) for user, count in counters.items()}
        self._preshared = {user: _bytes(f"preshared-{user}", count, parent=self) for user, count in counters.items()}
        port = args.gateway.port
        self.server = _secret(self._server.apply(lambda private: server_text(private=private, port=port)))
        self.peers = {user: self._peer(user) for user in args.users}
        self.register_outputs({})

    def profiles(self, *, host: pulumi.Input[str], routes: Sequence[IPv4Network]) -> dict[str, pulumi.Output[str]]:
        """What each user imports, as secrets; `host` is where the gateway answers."""
        return {user: self._profile(user, host=host, routes=routes) for user in self._private}

    def _peer(self, user: str) -> pulumi.Output[str]:
        address = user_address(user, self._gateway.cidr)
        known = pulumi.Output.all(self._private[user], self._preshared[user])
        return _secret(
            known.apply(lambda keys: peer_text(public=public_key(keys[0]), preshared=keys[1], address=address))
        )

    def _profile(self, user: str, *, host: pulumi.Input[str], routes: Sequence[IPv4Network]) -> pulumi.Output[str]:
        gateway = self._gateway
        through = (*routes, IPv4Network(server_address(gateway.cidr)))

        def text(keys: Sequence[str]) -> str:
            private, preshared, server, answers_at = keys
            return Profile(
                private=private,
                address=user_address(user, gateway.cidr),
                server=public_key(server),
                preshared=preshared,
                endpoint=f"{answers_at}:{gateway.port}",
                routes=through,
            ).text()

        return _secret(pulumi.Output.all(self._private[user], self._preshared[user], self._server, host).apply(text))


def _private(name: str, counter: str, *, parent: VpnKeys) -> pulumi.Output[str]:
    return _bytes(name, counter, parent=parent).apply(private_key)


def _bytes(name: str, counter: str, *, parent: VpnKeys) -> pulumi.Output[str]:
    made = random.RandomBytes(
        name,
        length=KEY_BYTES,
        keepers={"rotation": counter},
        opts=pulumi.ResourceOptions(parent=parent, additional_secret_outputs=SECRETS),
    )
    return pulumi.Output.secret(made.base64)


def _secret(text: pulumi.Output[str]) -> pulumi.Output[str]:
    return pulumi.Output.secret(text)
