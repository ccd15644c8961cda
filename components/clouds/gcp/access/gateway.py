"""The WireGuard gateway on Google Cloud: a small machine with an address of its own, before the API it leads to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import ACCOUNT_LENGTH, build_gcp_name
from components.connectivity.vpn import UNITS, VpnKeys, VpnKeysArgs
from planning.values.addresses import server_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Address, IPv4Network

    from planning.spec.cluster import Gateway as GatewaySpec
    from planning.spec.cluster import Placement


# Debian 12 has WireGuard in its kernel and wireguard-tools, curl and Python in its archive (packages.debian.org).
# Compute Engine runs the script at every start, so each step may be done already.
START: Final = (
    """\
#!/bin/bash
set -euo pipefail
umask 077
export DEBIAN_FRONTEND=noninteractive
command -v wg iptables curl > /dev/null || {{ apt-get update; apt-get install --yes --no-install-recommends \\
  wireguard-tools iptables curl; }}
sysctl -w net.ipv4.ip_forward=1 > /dev/null
cat > /usr/local/sbin/atoll-vpn <<'END'
{refresh}END
"""
    + UNITS
)
# Users reach the cluster's network under the machine's own address, so that no route back is needed; they reach
# neither each other nor the machine's metadata.
REFRESH: Final = """\
#!/bin/bash
set -euo pipefail
umask 077
metadata=http://metadata.google.internal/computeMetadata/v1
field() {{ python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }}
token=$(curl -sSf -H 'Metadata-Flavor: Google' "$metadata/instance/service-accounts/default/token" |
  field '["access_token"]')
project=$(curl -sSf -H 'Metadata-Flavor: Google' "$metadata/project/project-id")
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
curl -sSf -H @<(printf 'Authorization: Bearer %s\\n' "$token") \\
  "https://secretmanager.googleapis.com/v1/projects/$project/secrets/{secret}/versions/latest:access" |
  field '["payload"]["data"]' | base64 -d > "$wanted"
ip link show dev wg0 > /dev/null 2>&1 || ip link add dev wg0 type wireguard
wg syncconf wg0 "$wanted"
ip address replace {address} dev wg0
ip link set dev wg0 up
rule() {{ iptables -w -t "$1" -C "${{@:2}}" 2> /dev/null || iptables -w -t "$1" -A "${{@:2}}"; }}
rule filter FORWARD -i wg0 -d 169.254.0.0/16 -j DROP
rule filter FORWARD -i wg0 -o wg0 -j DROP
rule nat POSTROUTING -s {tunnel} ! -o wg0 -j MASQUERADE
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineScript:
    """A machine of Google Cloud that keeps its configuration in one secret.

    Args:
        address: the server's own, in the tunnel.
        cidr: range of the tunnel.
        secret: id of the secret.
    """

    address: IPv4Address
    cidr: IPv4Network
    secret: str

    def text(self) -> str:
        """The script, the same for the same gateway whoever its users are."""
        address = f"{self.address}/{self.cidr.prefixlen}"
        refresh = REFRESH.format(secret=self.secret, address=address, tunnel=self.cidr)
        return START.format(refresh=refresh)


ANYWHERE: Final = "0.0.0.0/0"
IMAGE: Final = "projects/debian-cloud/global/images/family/debian-12"
TAG: Final = "atoll-gateway"
DISK: Final = "pd-balanced"


@dataclass(frozen=True, kw_only=True)
class VpnGatewayArgs:
    """Where the gateway stands and for whom.

    Args:
        network: range of the cluster's network, which is all that the VPN leads to.
        users: names, in the checklist's order.
        rotation: counter of all keys.
        rotations: counters of single users.
    """

    placement: Placement
    gateway: GatewaySpec
    network: IPv4Network
    network_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    key_id: pulumi.Input[str]
    users: Sequence[str]
    rotation: int
    rotations: Mapping[str, int]
    labels: Mapping[str, str]


@final
class VpnGateway(pulumi.ComponentResource):
    """A machine that fetches its configuration every minute, so that users come and go without a restart.

    The keys lie in one secret, which the machine's own account alone is given; its metadata holds none. Nobody
    logs in to it: no rule lets SSH through from outside the nodes' own range, and no key or password is on it.

    Attributes:
        address: public address, which stays when the machine is replaced.
        profiles: what each user imports, secrets.
    """

    address: pulumi.Output[str]
    profiles: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, args: VpnGatewayArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts: dict[str, object] = {
            "provider": args.placement.provider,
            "region": args.placement.region,
            "part": "access/vpn",
            "cidr": str(args.gateway.cidr),
        }
        super().__init__("atoll:access:Gateway", name, facts, opts)
        keys = VpnKeys(
            "vpn-keys",
            VpnKeysArgs(gateway=args.gateway, users=args.users, rotation=args.rotation, rotations=args.rotations),
            opts=pulumi.ResourceOptions(parent=self),
        )
        inside = pulumi.ResourceOptions(parent=self)
        account = gcp.serviceaccount.Account(
            "gateway",
            account_id=build_gcp_name(args.placement, "vpn", longest=ACCOUNT_LENGTH),
            display_name="VPN gateway of the Atoll cluster",
            opts=inside,
        )
        configured = _secret(keys, args, account=account, parent=self)
        _doors(args, parent=self)
        address = gcp.compute.Address("gateway", region=args.placement.region, address_type="EXTERNAL", opts=inside)
        _machine(args, account=account, address=address, configured=configured, parent=self)
        self.address = address.address
        self.profiles = keys.profiles(host=address.address, routes=(args.network,))
        self.register_outputs({"address": self.address})


def _secret(
    keys: VpnKeys, args: VpnGatewayArgs, *, account: gcp.serviceaccount.Account, parent: VpnGateway
) -> list[pulumi.Resource]:
    """One secret for server and users: 64 KiB hold three hundred of them."""
    inside = pulumi.ResourceOptions(parent=parent)
    secret = gcp.secretmanager.Secret(
        "vpn",
        secret_id=build_gcp_name(args.placement, "vpn"),
        replication={
            "user_managed": {
                "replicas": [
                    {
                        "location": args.placement.region,
                        "customer_managed_encryption": {"kms_key_name": args.key_id},
                    }
                ]
            }
        },
        labels=dict(args.labels),
        opts=inside,
    )
    parts = pulumi.Output.all(keys.server, *keys.peers.values())
    text = pulumi.Output.secret(parts.apply(lambda found: "\n".join(str(part) for part in found)))
    version = gcp.secretmanager.SecretVersion("vpn", secret=secret.id, secret_data=text, opts=inside)
    reads = gcp.secretmanager.SecretIamMember(
        "vpn",
        secret_id=secret.id,
        role="roles/secretmanager.secretAccessor",
        member=account.email.apply("serviceAccount:{}".format),
        opts=inside,
    )
    return [version, reads]


def _doors(args: VpnGatewayArgs, *, parent: VpnGateway) -> None:
    """WireGuard from anywhere, since it answers nobody without a key; from the gateway to the nodes by SSH and HTTPS.

    What comes from the gateway carries its own address, which lies in the nodes' range: the rule that lets nodes talk
    lets it through as well.
    """
    gcp.compute.Firewall(
        "gateway-wireguard",
        network=args.network_id,
        direction="INGRESS",
        source_ranges=[ANYWHERE],
        target_tags=[TAG],
        allows=[{"protocol": "udp", "ports": [str(args.gateway.port)]}],
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _machine(
    args: VpnGatewayArgs,
    *,
    account: gcp.serviceaccount.Account,
    address: gcp.compute.Address,
    configured: Sequence[pulumi.Resource],
    parent: VpnGateway,
) -> None:
    script = MachineScript(
        address=server_address(args.gateway.cidr), cidr=args.gateway.cidr, secret=build_gcp_name(args.placement, "vpn")
    )
    zones = gcp.compute.get_zones_output(
        region=args.placement.region, opts=pulumi.InvokeOutputOptions(parent=parent)
    ).names
    gcp.compute.Instance(
        "gateway",
        name=build_gcp_name(args.placement, "vpn"),
        machine_type=args.gateway.machine,
        zone=zones.apply(lambda names: names[0]),
        tags=[TAG],
        can_ip_forward=False,  # users leave under the machine's own address
        boot_disk={
            "initialize_params": {"image": IMAGE, "type": DISK, "size": args.gateway.disk_gb},
            "kms_key_self_link": args.key_id,
        },
        network_interfaces=[{"subnetwork": args.subnet_id, "access_configs": [{"nat_ip": address.address}]}],
        shielded_instance_config={
            "enable_secure_boot": True,
            "enable_vtpm": True,
            "enable_integrity_monitoring": True,
        },
        service_account={"email": account.email, "scopes": ["https://www.googleapis.com/auth/cloud-platform"]},
        metadata={"enable-oslogin": "TRUE", "block-project-ssh-keys": "TRUE", "disable-legacy-endpoints": "TRUE"},
        metadata_startup_script=script.text(),
        labels=dict(args.labels),
        allow_stopping_for_update=True,
        opts=pulumi.ResourceOptions(
            parent=parent, depends_on=list(configured), ignore_changes=["zone", "bootDisk.initializeParams.image"]
        ),
    )
