"""What the gateway's machine runs at its first start. It holds no key and no user's text, only where to fetch them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.connectivity.gateway_units import UNITS

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv4Network

# Amazon Linux 2023 has wireguard-tools since May 2023 (github.com/amazonlinux/amazon-linux-2023/issues/167), and brings
# the AWS CLI and Python; WireGuard itself is part of its kernel.
FIRST_START: Final = (
    """\
#!/bin/bash
set -euo pipefail
umask 077
# The machine's address, and with it the way out, may come after its start.
until dnf install --assumeyes --setopt=install_weak_deps=0 wireguard-tools iptables-nft; do sleep 5; done
echo net.ipv4.ip_forward=1 > /etc/sysctl.d/60-atoll-vpn.conf
sysctl --system > /dev/null
cat > /etc/atoll-vpn <<'END'
{settings}END
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
. /etc/atoll-vpn
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
aws ssm get-parameters-by-path --region "$REGION" --path "$PARAMETERS" --recursive --with-decryption --output json |
  python3 -c 'import json, sys
for each in sorted(json.load(sys.stdin)["Parameters"], key=lambda each: each["Name"]): print(each["Value"])' > "$wanted"
ip link show dev wg0 > /dev/null 2>&1 || ip link add dev wg0 type wireguard
wg syncconf wg0 "$wanted"
ip address replace "$ADDRESS" dev wg0
ip link set dev wg0 up
rule() { iptables -w -t "$1" -C "${@:2}" 2> /dev/null || iptables -w -t "$1" -A "${@:2}"; }
rule filter FORWARD -i wg0 -d 169.254.0.0/16 -j DROP
rule filter FORWARD -i wg0 -o wg0 -j DROP
rule nat POSTROUTING -s "$TUNNEL" ! -o wg0 -j MASQUERADE
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineScript:
    """A machine of AWS that keeps its configuration in parameters of Systems Manager.

    Args:
        address: the server's own, in the tunnel.
        cidr: range of the tunnel.
        path: below which the parameters lie.
    """

    address: IPv4Address
    cidr: IPv4Network
    region: str
    path: str

    def text(self) -> str:
        """The script, the same for the same gateway whoever its users are."""
        settings = {
            "ADDRESS": f"{self.address}/{self.cidr.prefixlen}",
            "TUNNEL": str(self.cidr),
            "REGION": self.region,
            "PARAMETERS": self.path,
        }
        lines = "".join(f"{name}={value}\n" for name, value in settings.items())
        return FIRST_START.replace("{settings}", lines).replace("{refresh}", REFRESH)
