"""The WireGuard gateway inside an existing cluster: a pod behind a load balancer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.connectivity.pods import (
    build_labels,
    build_metadata,
    build_pod,
    build_security_context,
    create_service_account,
)
from components.connectivity.vpn import VpnKeys
from planning.values.addresses import server_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pulumi_kubernetes.core.v1 import ContainerArgsDict, PodSpecArgsDict, VolumeArgsDict

    from components.context.placement import Ingress, PlacementContext
    from planning.spec.cluster import Gateway

NAME: Final = "vpn"
# A load balancer has its address within two minutes; in a cluster without a controller the engine's ten are wasted.
PATIENCE: Final = "5m"
# The files of the secret are read every half minute, so that changing one user does not disconnect the others. A pod
# inherits the node's ip_forward, which kubelets require; it may not set it itself. Its network and /run outlive a
# restarted container, so each step may be done already.
SCRIPT: Final = """\
set -eu
umask 077
test "$(cat /proc/sys/net/ipv4/ip_forward)" = 1 || { echo 'the node does not forward packets' >&2; exit 1; }
ip link show dev wg0 > /dev/null 2>&1 || ip link add dev wg0 type wireguard
ip address replace "$ADDRESS" dev wg0
ip link set dev wg0 up
rule() { iptables -w -t "$1" -C "${@:2}" 2> /dev/null || iptables -w -t "$1" -A "${@:2}"; }
rule filter FORWARD -i wg0 -d 169.254.0.0/16 -j DROP
rule filter FORWARD -i wg0 -o wg0 -j DROP
rule nat POSTROUTING -s "$TUNNEL" ! -o wg0 -j MASQUERADE
rm -f /run/applied
trap 'exit 0' TERM
while true; do
  cat /etc/vpn/* > /run/wanted
  cmp -s /run/wanted /run/applied || { wg syncconf wg0 /run/wanted; mv /run/wanted /run/applied; }
  sleep 30 & wait $!
done
"""


@final
class GatewayPod(pulumi.ComponentResource):
    """One pod that may configure its own network, and nothing of the node.

    Attributes:
        address: of the load balancer.
        profiles: WireGuard profile of each user, secret.
    """

    address: pulumi.Output[str]
    profiles: Mapping[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        gateway: Gateway,
        *,
        site: PlacementContext,
        ingress: Ingress,
        image: str,
        opts: pulumi.ResourceOptions,
    ) -> None:
        facts = site.describe(cidr=str(gateway.cidr), charges=site.ledger.claim("vpn"))
        super().__init__("atoll:access:GatewayPod", name, facts, opts)
        keys = VpnKeys(site, gateway, parent=self)
        self._create_objects(keys, gateway, image=image)
        service = self._create_balancer(gateway, ingress)
        # The provider gives the load balancer an address or a name.
        first = service.status.load_balancer.ingress[0]
        self.address = pulumi.Output.all(first.ip, first.hostname).apply(lambda known: known[0] or known[1] or "")
        self.profiles = keys.build_profiles(host=self.address)
        self.register_outputs({"address": self.address})

    def _create_objects(self, keys: VpnKeys, gateway: Gateway, *, image: str) -> None:
        inside = pulumi.ResourceOptions(parent=self)
        parts = {"0-server": keys.server, **{f"user-{user}": peer for user, peer in keys.peers.items()}}
        kubernetes.core.v1.Secret(NAME, metadata=build_metadata(NAME), type="Opaque", string_data=parts, opts=inside)
        create_service_account(NAME, opts=inside)
        kubernetes.networking.v1.NetworkPolicy(
            NAME,
            metadata=build_metadata(NAME),
            spec={
                "pod_selector": {"match_labels": build_labels(NAME)},
                "policy_types": ["Ingress"],
                "ingress": [{"ports": [{"protocol": "UDP", "port": gateway.port}]}],
            },
            opts=inside,
        )
        kubernetes.apps.v1.Deployment(
            NAME,
            metadata=build_metadata(NAME),
            spec={
                "replicas": 1,
                "strategy": {"type": "Recreate"},  # two servers with one key would fight over each user
                "selector": {"match_labels": build_labels(NAME)},
                "template": {"metadata": {"labels": build_labels(NAME)}, "spec": _build_pod(gateway, image)},
            },
            opts=inside,
        )

    def _create_balancer(self, gateway: Gateway, ingress: Ingress) -> kubernetes.core.v1.Service:
        timeouts = pulumi.CustomTimeouts(create=PATIENCE, update=PATIENCE)
        return kubernetes.core.v1.Service(
            NAME,
            metadata={**build_metadata(NAME), "annotations": dict(ingress.public)},
            spec={
                "type": "LoadBalancer",
                "load_balancer_class": ingress.load_balancer_class or None,
                "selector": build_labels(NAME),
                "ports": [{"name": "wireguard", "port": gateway.port, "target_port": gateway.port, "protocol": "UDP"}],
            },
            opts=pulumi.ResourceOptions(parent=self, custom_timeouts=timeouts),
        )


def _build_pod(gateway: Gateway, image: str) -> PodSpecArgsDict:
    address = f"{server_address(gateway.cidr)}/{gateway.cidr.prefixlen}"
    server: ContainerArgsDict = {
        "name": "wireguard",
        "image": image,
        "command": ["/bin/bash", "-c", SCRIPT],
        "env": [{"name": "ADDRESS", "value": address}, {"name": "TUNNEL", "value": str(gateway.cidr)}],
        "ports": [{"name": "wireguard", "container_port": gateway.port, "protocol": "UDP"}],
        "security_context": build_security_context("NET_ADMIN"),
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "volume_mounts": [
            {"name": "parts", "mount_path": "/etc/vpn", "read_only": True},
            {"name": "run", "mount_path": "/run"},
        ],
        "liveness_probe": {"exec_": {"command": ["wg", "show", "wg0", "listen-port"]}, "period_seconds": 30},
    }
    volumes: list[VolumeArgsDict] = [
        {"name": "parts", "secret": {"secret_name": NAME, "default_mode": 0o400}},
        {"name": "run", "empty_dir": {"medium": "Memory", "size_limit": "1Mi"}},
    ]
    return build_pod(NAME, containers=[server], volumes=volumes)
