"""The WireGuard gateway on Google Cloud: a small machine with a public address, created before the contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import ACCOUNT_LENGTH, build_gcp_name
from components.connectivity.vpn import UNITS, VpnKeys
from planning.values.addresses import server_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.gcp.cluster.context import ClusterContext
    from planning.spec.cluster import Gateway as GatewaySpec


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


ANYWHERE: Final = "0.0.0.0/0"
IMAGE: Final = "projects/debian-cloud/global/images/family/debian-12"
TAG: Final = "atoll-gateway"
DISK: Final = "pd-balanced"


def render_script(gateway: GatewaySpec, *, secret: str) -> str:
    """The startup script of the machine, independent of the VPN's users, whose keys are in `secret`."""
    address = f"{server_address(gateway.cidr)}/{gateway.cidr.prefixlen}"
    refresh = REFRESH.format(secret=secret, address=address, tunnel=gateway.cidr)
    return START.format(refresh=refresh)


@final
class VpnGateway(pulumi.ComponentResource):
    """A machine that fetches its configuration every minute, so that users come and go without a restart.

    The keys are in one secret, which only the machine's account may read; its metadata holds none. There is no login:
    no firewall rule admits SSH from outside the nodes' range, and the machine has no key or password.

    Attributes:
        address: public address, which stays when the machine is replaced.
        profiles: WireGuard profile of each user, secret.
    """

    address: pulumi.Output[str]
    profiles: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, gateway: GatewaySpec, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        facts = here.site.describe(part="access/vpn", cidr=str(gateway.cidr))
        super().__init__("atoll:access:Gateway", name, facts, opts)
        placement, inside = here.site.placement, pulumi.ResourceOptions(parent=self)
        keys = VpnKeys(here.site, gateway, parent=self)
        account = gcp.serviceaccount.Account(
            "gateway",
            account_id=build_gcp_name(placement, "vpn", longest=ACCOUNT_LENGTH),
            display_name="VPN gateway of the Atoll cluster",
            opts=inside,
        )
        configured = _store_keys(keys, here, account=account, parent=self)
        # WireGuard is open to the internet: it answers only peers with a key. The gateway's own address is in the
        # nodes' range, so the rule for traffic between nodes admits it to them as well.
        gcp.compute.Firewall(
            "gateway-wireguard",
            network=here.network.id,
            direction="INGRESS",
            source_ranges=[ANYWHERE],
            target_tags=[TAG],
            allows=[{"protocol": "udp", "ports": [str(gateway.port)]}],
            opts=inside,
        )
        address = gcp.compute.Address("gateway", region=placement.region, address_type="EXTERNAL", opts=inside)
        _create_machine(gateway, here, account=account, address=address, after=configured, parent=self)
        self.address = address.address
        self.profiles = keys.build_profiles(host=address.address)
        self.register_outputs({"address": self.address})


def _store_keys(
    keys: VpnKeys, here: ClusterContext, *, account: gcp.serviceaccount.Account, parent: VpnGateway
) -> list[pulumi.Resource]:
    """One secret for server and users."""
    inside, region = pulumi.ResourceOptions(parent=parent), here.site.placement.region
    replica: gcp.secretmanager.SecretReplicationUserManagedReplicaArgsDict = {
        "location": region,
        "customer_managed_encryption": {"kms_key_name": here.key.id},
    }
    secret = gcp.secretmanager.Secret(
        "vpn",
        secret_id=build_gcp_name(here.site.placement, "vpn"),
        replication={"user_managed": {"replicas": [replica]}},
        labels=here.labels,
        opts=inside,
    )
    # One secret for all: its 64 KiB hold three hundred users.
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


def _create_machine(
    gateway: GatewaySpec,
    here: ClusterContext,
    *,
    account: gcp.serviceaccount.Account,
    address: gcp.compute.Address,
    after: Sequence[pulumi.Resource],
    parent: VpnGateway,
) -> None:
    name, region = build_gcp_name(here.site.placement, "vpn"), here.site.placement.region
    zones = gcp.compute.get_zones_output(region=region, opts=pulumi.InvokeOutputOptions(parent=parent)).names
    gcp.compute.Instance(
        "gateway",
        name=name,
        machine_type=gateway.machine,
        zone=zones.apply(lambda names: names[0]),
        tags=[TAG],
        can_ip_forward=False,  # users' traffic has the machine's own address
        boot_disk={
            "initialize_params": {"image": IMAGE, "type": DISK, "size": gateway.disk_gb},
            "kms_key_self_link": here.key.id,
        },
        network_interfaces=[{"subnetwork": here.network.subnet_id, "access_configs": [{"nat_ip": address.address}]}],
        shielded_instance_config={
            "enable_secure_boot": True,
            "enable_vtpm": True,
            "enable_integrity_monitoring": True,
        },
        service_account={"email": account.email, "scopes": ["https://www.googleapis.com/auth/cloud-platform"]},
        metadata={"enable-oslogin": "TRUE", "block-project-ssh-keys": "TRUE", "disable-legacy-endpoints": "TRUE"},
        metadata_startup_script=render_script(gateway, secret=name),
        labels=here.labels,
        allow_stopping_for_update=True,
        opts=pulumi.ResourceOptions(
            parent=parent, depends_on=list(after), ignore_changes=["zone", "bootDisk.initializeParams.image"]
        ),
    )
