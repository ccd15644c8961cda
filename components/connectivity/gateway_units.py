"""How the gateway's machine, on any cloud, keeps its users as the stack says: a timer that runs one script."""

from __future__ import annotations

from typing import Final

# The last lines of the machine's first script; the one that the timer runs is written to its place before them.
UNITS: Final = """\
chmod 700 /usr/local/sbin/atoll-vpn
cat > /etc/systemd/system/atoll-vpn.service <<'END'
[Unit]
Description=Users of the VPN, as the stack says
After=network-online.target
Wants=network-online.target
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/atoll-vpn
END
cat > /etc/systemd/system/atoll-vpn.timer <<'END'
[Unit]
Description=Users of the VPN, every minute
[Timer]
OnBootSec=5
OnUnitInactiveSec=60
[Install]
WantedBy=timers.target
END
systemctl daemon-reload
systemctl enable --now atoll-vpn.timer
"""
