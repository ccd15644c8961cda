"""The cluster's end of the tunnel: strongSwan on one node, and on every node the route that leads there."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import SYSTEM_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

    from pulumi_kubernetes.core.v1 import (
        ContainerArgsDict,
        PodSpecArgsDict,
        SecurityContextArgsDict,
        VolumeArgsDict,
        VolumeMountArgsDict,
    )
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict

    from components.connectivity.images import Images
    from components.connectivity.tunnel import MainSideArgs, Tunnel


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
    """swanctl.conf for tunnels given by address and pre-shared key; the cluster's side always calls.

    Keys are written in base64 (docs.strongswan.org, swanctl.conf, secrets.ike<suffix>.secret), so that no sign in one
    of them ends or changes anything.
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
MANAGED: Final = {"app.kubernetes.io/managed-by": "atoll"}
# What comes from an address that the main cloud does not know goes out as one that it does.
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
# Nodes that are neighbours in one network reach the main cloud over the node that holds the tunnel.
LEAD: Final = """\
set -u
trap 'ip route del "$MAIN" 2> /dev/null; exit 0' TERM
while true; do
  holder=$(getent ahostsv4 "$GATEWAY" | cut -d' ' -f1 | head -n 1)
  if [ -n "$holder" ] && ! ip -4 address show | grep -q "inet $holder/"; then ip route replace "$MAIN" via "$holder"; fi
  sleep 30 & wait $!
done
"""


@dataclass(frozen=True, kw_only=True)
class SitePodArgs:
    """Both ends, and what the tunnel costs beside its gateway, as plain inputs."""

    main: MainSideArgs
    tunnels: Sequence[Tunnel]
    charges: Sequence[dict[str, object]]
    images: Images

    def facts(self) -> dict[str, object]:
        return {
            "provider": self.main.placement.provider,
            "region": self.main.placement.region,
            "network": str(self.main.link.vpc_cidr),
            "charges": list(self.charges),
        }


@final
class SitePod(pulumi.ComponentResource):
    """strongSwan, which calls the main cloud from inside, so that no port of the cluster is open for it."""

    def __init__(self, name: str, args: SitePodArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:network:SitePod", name, args.facts(), opts)
        inside = pulumi.ResourceOptions(parent=self)
        kubernetes.core.v1.Secret(
            NAME,
            metadata=_build_metadata(NAME),
            type="Opaque",
            string_data={"strongswan.conf": DAEMON, "swanctl.conf": _connections(args)},
            opts=inside,
        )
        kubernetes.core.v1.ServiceAccount(
            NAME, metadata=_build_metadata(NAME), automount_service_account_token=False, opts=inside
        )
        kubernetes.core.v1.Service(
            GATEWAY,
            metadata=_build_metadata(GATEWAY),
            spec={
                "cluster_ip": "None",
                "selector": _labels(GATEWAY),
                "ports": [{"name": "ike", "port": 500, "protocol": "UDP"}],
            },
            opts=inside,
        )
        kubernetes.apps.v1.Deployment(
            GATEWAY,
            metadata=_build_metadata(GATEWAY),
            spec={
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"match_labels": _labels(GATEWAY)},
                "template": {"metadata": {"labels": _labels(GATEWAY)}, "spec": _gateway(args)},
            },
            opts=inside,
        )
        kubernetes.apps.v1.DaemonSet(
            ROUTES,
            metadata=_build_metadata(ROUTES),
            spec={
                "selector": {"match_labels": _labels(ROUTES)},
                "template": {"metadata": {"labels": _labels(ROUTES)}, "spec": _routes(args)},
            },
            opts=inside,
        )
        self.register_outputs({})


def _connections(args: SitePodArgs) -> pulumi.Output[str]:
    ends = pulumi.Output.all(*(pulumi.Output.all(each.address, each.key) for each in args.tunnels))
    main = args.main
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


def _labels(name: str) -> dict[str, str]:
    return {"app.kubernetes.io/name": name, **MANAGED}


def _build_metadata(name: str) -> ObjectMetaArgsDict:
    return {"name": name, "namespace": SYSTEM_NAMESPACE, "labels": _labels(name)}


def _gateway(args: SitePodArgs) -> PodSpecArgsDict:
    """The tunnel; routes and security associations are the node's, so it is in the node's network."""
    tunnel: ContainerArgsDict = {
        "name": "strongswan",
        "image": args.images.strongswan,
        "command": ["/usr/libexec/ipsec/charon"],
        "security_context": _rights("NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"),
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "volume_mounts": [
            _file("strongswan.conf", at="/etc/strongswan.conf"),
            _file("swanctl.conf", at="/etc/swanctl/swanctl.conf"),
            {"name": "run", "mount_path": "/var/run"},
        ],
    }
    return {
        "service_account_name": NAME,
        "automount_service_account_token": False,
        "enable_service_links": False,
        "host_network": True,
        "dns_policy": "ClusterFirstWithHostNet",
        "security_context": {"seccomp_profile": {"type": "RuntimeDefault"}},
        "node_selector": {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"},  # of strongSwan's image
        "containers": [tunnel, _script(args, "address", TRANSLATE)],
        "volumes": [{"name": "secret", "secret": {"secret_name": NAME, "default_mode": 0o400}}, _run()],
    }


def _routes(args: SitePodArgs) -> PodSpecArgsDict:
    return {
        "service_account_name": NAME,
        "automount_service_account_token": False,
        "enable_service_links": False,
        "host_network": True,
        "dns_policy": "ClusterFirstWithHostNet",
        "security_context": {"seccomp_profile": {"type": "RuntimeDefault"}},
        "node_selector": {"kubernetes.io/os": "linux"},
        "tolerations": [{"operator": "Exists"}],
        "containers": [_script(args, "route", LEAD)],
        "volumes": [_run()],
    }


def _file(name: str, *, at: str) -> VolumeMountArgsDict:
    return {"name": "secret", "mount_path": at, "sub_path": name, "read_only": True}


def _run() -> VolumeArgsDict:
    return {"name": "run", "empty_dir": {"medium": "Memory", "size_limit": "1Mi"}}


def _script(args: SitePodArgs, name: str, script: str) -> ContainerArgsDict:
    """A container with the tools for routes and translation, and nothing unknown to its script."""
    network = args.main.network
    known = {
        "US": str(network[-2]),
        "NETWORK": str(network),
        "MAIN": str(args.main.link.vpc_cidr),
        "GATEWAY": f"{GATEWAY}.{SYSTEM_NAMESPACE}.svc",
    }
    return {
        "name": name,
        "image": args.images.wireguard,
        "command": ["/bin/bash", "-c", script],
        "env": [{"name": each, "value": value} for each, value in known.items()],
        "security_context": _rights("NET_ADMIN"),
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        "volume_mounts": [{"name": "run", "mount_path": "/run"}],
    }


def _rights(*capabilities: str) -> SecurityContextArgsDict:
    return {
        "allow_privilege_escalation": False,
        "read_only_root_filesystem": True,
        "capabilities": {"drop": ["ALL"], "add": list(capabilities)},
    }
