"""The site-to-site tunnel to the main cloud: the arguments of both ends, and the cluster's end.

The cluster's end is strongSwan on one node, and a route to it on every node.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes
import pulumi_random as random

from components.connectivity.pods import (
    build_labels,
    build_metadata,
    build_pod,
    build_security_context,
    create_service_account,
)
from components.context.names import SYSTEM_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

    from pulumi_kubernetes.core.v1 import ContainerArgsDict, PodSpecArgsDict, VolumeArgsDict, VolumeMountArgsDict

    from components.connectivity.pods import AccessImages
    from components.context.placement import PlacementContext
    from planning.spec.cluster import Link


@dataclass(frozen=True, kw_only=True)
class MainSideArgs:
    """Arguments of the main cloud's end; `address` is the public address of the cluster's egress, usually its NAT's."""

    site: PlacementContext
    link: Link
    address: str

    @property
    def network(self) -> IPv4Network:
        return self.site.spec.network.cidr


@dataclass(frozen=True, kw_only=True)
class Tunnel:
    """One tunnel: address of the main cloud's end, and the pre-shared key."""

    address: pulumi.Output[str]
    key: pulumi.Output[str]


def generate_preshared_key(*, parent: pulumi.Resource) -> pulumi.Output[str]:
    """A secret that is generated once and kept in the state."""
    # Letters and digits only, which every gateway accepts; 48 of them are 285 bits, more than the cipher's key.
    made = random.RandomPassword("main-cloud", length=48, special=False, opts=pulumi.ResourceOptions(parent=parent))
    return pulumi.Output.secret(made.result)


DAEMON: Final = """\
charon {
  install_routes = yes
  start-scripts {
    all = /usr/sbin/swanctl --load-all
  }
  filelog {
    stderr {
      default = 1
    }
  }
}
"""


def connections(tunnels: Sequence[tuple[str, str]], *, us: str, network: IPv4Network, main: IPv4Network) -> str:
    """swanctl.conf for tunnels (address, pre-shared key); the cluster always initiates.

    Keys are in base64 (docs.strongswan.org, swanctl.conf, secrets.ike<suffix>.secret), so that none of their characters
    is syntax.
    """
    ends = "".join(
        f"""\
  main-{number} {{
    version = 2
    remote_addrs = {address}
    proposals = aes256gcm16-prfsha384-ecp384
    dpd_delay = 10s
    keyingtries = 0
    local {{
      auth = psk
      id = {us}
    }}
    remote {{
      auth = psk
      id = {address}
    }}
    children {{
      main-{number} {{
        local_ts = {network}
        remote_ts = {main}
        esp_proposals = aes256gcm16-ecp384
        start_action = start
        close_action = start
        dpd_action = restart
      }}
    }}
  }}
"""
        for number, (address, _) in enumerate(tunnels, start=1)
    )
    keys = "".join(
        f'  ike-{number} {{\n    id = {address}\n    secret = "0s{b64encode(key.encode()).decode()}"\n  }}\n'
        for number, (address, key) in enumerate(tunnels, start=1)
    )
    return f"connections {{\n{ends}}}\nsecrets {{\n{keys}}}\n"


NAME: Final = "site"
GATEWAY: Final = "site-gateway"
ROUTES: Final = "site-routes"
# Traffic from addresses that the main cloud does not know is translated to one that it does.
TRANSLATE: Final = """\
set -eu
ip address replace "$US/32" dev lo
rule() { iptables -w -t nat "$1" POSTROUTING -d "$MAIN" ! -s "$NETWORK" -j SNAT --to-source "$US"; }
trap 'rule -D; exit 0' TERM
while true; do
  rule -C 2> /dev/null || rule -A
  sleep 30 & wait $!
done
"""
# Nodes reach the main cloud over the node with the tunnel, which is in the same network.
LEAD: Final = """\
set -u
trap 'ip route del "$MAIN" 2> /dev/null; exit 0' TERM
while true; do
  holder=$(getent ahostsv4 "$GATEWAY" | cut -d' ' -f1 | head -n 1)
  if [ -n "$holder" ] && ! ip -4 address show | grep -q "inet $holder/"; then ip route replace "$MAIN" via "$holder"; fi
  sleep 30 & wait $!
done
"""


@final
class SitePod(pulumi.ComponentResource):
    """strongSwan, which initiates from inside, so that the cluster needs no open port."""

    def __init__(
        self,
        name: str,
        main: MainSideArgs,
        *,
        tunnels: Sequence[Tunnel],
        charges: Sequence[dict[str, object]],
        images: AccessImages,
        opts: pulumi.ResourceOptions,
    ) -> None:
        facts = main.site.describe(network=str(main.link.vpc_cidr), charges=list(charges))
        super().__init__("atoll:network:SitePod", name, facts, opts)
        inside = pulumi.ResourceOptions(parent=self)
        kubernetes.core.v1.Secret(
            NAME,
            metadata=build_metadata(NAME),
            type="Opaque",
            string_data={"strongswan.conf": DAEMON, "swanctl.conf": _render_connections(main, tunnels)},
            opts=inside,
        )
        create_service_account(NAME, opts=inside)
        self._create_pods(main, images)
        self.register_outputs({})

    def _create_pods(self, main: MainSideArgs, images: AccessImages) -> None:
        inside = pulumi.ResourceOptions(parent=self)
        kubernetes.core.v1.Service(
            GATEWAY,
            metadata=build_metadata(GATEWAY),
            spec={
                "cluster_ip": "None",
                "selector": build_labels(GATEWAY),
                "ports": [{"name": "ike", "port": 500, "protocol": "UDP"}],
            },
            opts=inside,
        )
        kubernetes.apps.v1.Deployment(
            GATEWAY,
            metadata=build_metadata(GATEWAY),
            spec={
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"match_labels": build_labels(GATEWAY)},
                "template": {"metadata": {"labels": build_labels(GATEWAY)}, "spec": _build_gateway(main, images)},
            },
            opts=inside,
        )
        kubernetes.apps.v1.DaemonSet(
            ROUTES,
            metadata=build_metadata(ROUTES),
            spec={
                "selector": {"match_labels": build_labels(ROUTES)},
                "template": {"metadata": {"labels": build_labels(ROUTES)}, "spec": _build_routes(main, images)},
            },
            opts=inside,
        )


def _render_connections(main: MainSideArgs, tunnels: Sequence[Tunnel]) -> pulumi.Output[str]:
    ends = pulumi.Output.all(*(pulumi.Output.all(each.address, each.key) for each in tunnels))
    return pulumi.Output.secret(
        ends.apply(
            lambda known: connections(
                [(address, key) for address, key in known],
                us=main.address,
                network=main.network,
                main=main.link.vpc_cidr,
            )
        )
    )


RUN: Final[VolumeArgsDict] = {"name": "run", "empty_dir": {"medium": "Memory", "size_limit": "1Mi"}}


def _build_pod(containers: Sequence[ContainerArgsDict], volumes: Sequence[VolumeArgsDict]) -> PodSpecArgsDict:
    # Routes and security associations are the node's, so the pod uses the host network.
    pod = build_pod(NAME, containers=containers, volumes=[*volumes, RUN])
    return {**pod, "host_network": True, "dns_policy": "ClusterFirstWithHostNet"}


def _build_gateway(main: MainSideArgs, images: AccessImages) -> PodSpecArgsDict:
    tunnel: ContainerArgsDict = {
        "name": "strongswan",
        "image": images.strongswan,
        "command": ["/usr/libexec/ipsec/charon"],
        "security_context": build_security_context("NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"),
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "volume_mounts": [
            _mount_file("strongswan.conf", at="/etc/strongswan.conf"),
            _mount_file("swanctl.conf", at="/etc/swanctl/swanctl.conf"),
            {"name": "run", "mount_path": "/var/run"},
        ],
    }
    address = _build_script_container(main, "address", TRANSLATE, image=images.wireguard)
    pod = _build_pod([tunnel, address], [{"name": "secret", "secret": {"secret_name": NAME, "default_mode": 0o400}}])
    # strongSwan's image is amd64 only.
    return {**pod, "node_selector": {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}}


def _build_routes(main: MainSideArgs, images: AccessImages) -> PodSpecArgsDict:
    pod = _build_pod([_build_script_container(main, "route", LEAD, image=images.wireguard)], [])
    return {**pod, "tolerations": [{"operator": "Exists"}]}


def _mount_file(name: str, *, at: str) -> VolumeMountArgsDict:
    return {"name": "secret", "mount_path": at, "sub_path": name, "read_only": True}


def _build_script_container(main: MainSideArgs, name: str, script: str, *, image: str) -> ContainerArgsDict:
    known = {
        "US": str(main.network[-2]),
        "NETWORK": str(main.network),
        "MAIN": str(main.link.vpc_cidr),
        "GATEWAY": f"{GATEWAY}.{SYSTEM_NAMESPACE}.svc",
    }
    return {
        "name": name,
        "image": image,
        "command": ["/bin/bash", "-c", script],
        "env": [{"name": each, "value": value} for each, value in known.items()],
        "security_context": build_security_context("NET_ADMIN"),
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        "volume_mounts": [{"name": "run", "mount_path": "/run"}],
    }
