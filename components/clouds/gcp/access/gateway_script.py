"""What the gateway's machine on Google Cloud runs at its starts. It holds no key, only where to fetch them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.connectivity.gateway_units import UNITS

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv4Network

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
