"""The WireGuard gateway inside a cluster whose network is not ours: a pod behind a load balancer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.connectivity.vpn import VpnKeys, VpnKeysArgs
from components.context.names import SYSTEM_NAMESPACE
from planning.values.addresses import server_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Network

    from pulumi_kubernetes.core.v1 import PodSpecArgsDict
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict

    from planning.spec.cluster import Gateway, Placement

NAME: Final = "vpn"
LABELS: Final = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/managed-by": "atoll"}
# A balancer has its address within a minute or two; where nobody in the cluster makes one, the engine's ten are wasted.
PATIENCE: Final = "5m"
# The files of the secret are read again every half minute, so that users come and go while the others stay connected.
# A pod inherits the node's ip_forward, which kubelets need on; a pod may not set it itself. Its network and /run
# outlive a container that is started again, so each step may be done already.
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


@dataclass(frozen=True, kw_only=True)
class GatewayPodArgs:
    """For whom, and what it leads to.

    Args:
        network: range of the cluster's network.
        annotations: of a load balancer that faces the internet.
        balancer_class: `spec.loadBalancerClass`; "" for the cluster's own.
        charges: what the load balancer costs, as plain inputs.
        image: with WireGuard in it.
    """

    placement: Placement
    gateway: Gateway
    network: IPv4Network
    users: Sequence[str]
    rotation: int
    rotations: Mapping[str, int]
    annotations: Mapping[str, str]
    balancer_class: str
    charges: Sequence[dict[str, object]]
    image: str

    def facts(self) -> dict[str, object]:
        return {
            "provider": self.placement.provider,
            "region": self.placement.region,
            "cidr": str(self.gateway.cidr),
            "charges": list(self.charges),
        }


@final
class GatewayPod(pulumi.ComponentResource):
    """One pod with the right to its own network and to nothing else of the node.

    Attributes:
        address: where the load balancer answers.
        profiles: what each user imports, secrets.
    """

    address: pulumi.Output[str]
    profiles: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, args: GatewayPodArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:GatewayPod", name, args.facts(), opts)
        keys = VpnKeys(
            "vpn-keys",
            VpnKeysArgs(gateway=args.gateway, users=args.users, rotation=args.rotation, rotations=args.rotations),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self._objects(keys, args)
        self.address = _answers(_balancer(args, parent=self))
        self.profiles = keys.profiles(host=self.address, routes=(args.network,))
        self.register_outputs({"address": self.address})

    def _objects(self, keys: VpnKeys, args: GatewayPodArgs) -> None:
        inside = pulumi.ResourceOptions(parent=self)
        parts = {"0-server": keys.server, **{f"user-{user}": peer for user, peer in keys.peers.items()}}
        kubernetes.core.v1.Secret("vpn", metadata=_build_metadata(), type="Opaque", string_data=parts, opts=inside)
        kubernetes.core.v1.ServiceAccount(
            "vpn", metadata=_build_metadata(), automount_service_account_token=False, opts=inside
        )
        kubernetes.networking.v1.NetworkPolicy(
            "vpn",
            metadata=_build_metadata(),
            spec={
                "pod_selector": {"match_labels": dict(LABELS)},
                "policy_types": ["Ingress"],
                "ingress": [{"ports": [{"protocol": "UDP", "port": args.gateway.port}]}],
            },
            opts=inside,
        )
        kubernetes.apps.v1.Deployment(
            "vpn",
            metadata=_build_metadata(),
            spec={
                "replicas": 1,
                "strategy": {"type": "Recreate"},  # two servers with one key would fight over each user
                "selector": {"match_labels": dict(LABELS)},
                "template": {"metadata": {"labels": dict(LABELS)}, "spec": _pod(args)},
            },
            opts=inside,
        )


def _build_metadata() -> ObjectMetaArgsDict:
    return {"name": NAME, "namespace": SYSTEM_NAMESPACE, "labels": dict(LABELS)}


def _pod(args: GatewayPodArgs) -> PodSpecArgsDict:
    address = f"{server_address(args.gateway.cidr)}/{args.gateway.cidr.prefixlen}"
    return {
        "service_account_name": NAME,
        "automount_service_account_token": False,
        "enable_service_links": False,
        "node_selector": {"kubernetes.io/os": "linux"},
        "security_context": {"seccomp_profile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "wireguard",
                "image": args.image,
                "command": ["/bin/bash", "-c", SCRIPT],
                "env": [
                    {"name": "ADDRESS", "value": address},
                    {"name": "TUNNEL", "value": str(args.gateway.cidr)},
                ],
                "ports": [{"name": "wireguard", "container_port": args.gateway.port, "protocol": "UDP"}],
                "security_context": {
                    "allow_privilege_escalation": False,
                    "read_only_root_filesystem": True,
                    "capabilities": {"drop": ["ALL"], "add": ["NET_ADMIN"]},
                },
                "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
                "volume_mounts": [
                    {"name": "parts", "mount_path": "/etc/vpn", "read_only": True},
                    {"name": "run", "mount_path": "/run"},
                ],
                "liveness_probe": {"exec_": {"command": ["wg", "show", "wg0", "listen-port"]}, "period_seconds": 30},
            }
        ],
        "volumes": [
            {"name": "parts", "secret": {"secret_name": NAME, "default_mode": 0o400}},
            {"name": "run", "empty_dir": {"medium": "Memory", "size_limit": "1Mi"}},
        ],
    }


def _balancer(args: GatewayPodArgs, *, parent: GatewayPod) -> kubernetes.core.v1.Service:
    return kubernetes.core.v1.Service(
        "vpn",
        metadata={**_build_metadata(), "annotations": dict(args.annotations)},
        spec={
            "type": "LoadBalancer",
            "load_balancer_class": args.balancer_class or None,
            "selector": dict(LABELS),
            "ports": [
                {
                    "name": "wireguard",
                    "port": args.gateway.port,
                    "target_port": args.gateway.port,
                    "protocol": "UDP",
                }
            ],
        },
        opts=pulumi.ResourceOptions(
            parent=parent, custom_timeouts=pulumi.CustomTimeouts(create=PATIENCE, update=PATIENCE)
        ),
    )


def _answers(service: kubernetes.core.v1.Service) -> pulumi.Output[str]:
    """Address or name that the cluster's provider gave to the load balancer."""
    first = service.status.load_balancer.ingress[0]
    return pulumi.Output.all(first.ip, first.hostname).apply(lambda said: said[0] or said[1] or "")
