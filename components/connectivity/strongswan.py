"""What strongSwan reads: the tunnels to the main cloud, and how its daemon starts."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

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
