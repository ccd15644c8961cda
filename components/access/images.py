"""Images of the ways in and out, by exact version. Digests are not resolved yet."""

from __future__ import annotations

from typing import Final

# github.com/linuxserver/docker-wireguard, release of 2026: wireguard-tools 1.0.20250521, iptables, iproute2
WIREGUARD: Final = "lscr.io/linuxserver/wireguard:1.0.20250521-r1-ls110"
# hub.docker.com/r/strongx509/strongswan, built by the strongSwan project; amd64 only
STRONGSWAN: Final = "docker.io/strongx509/strongswan:6.0.6"
BUSYBOX: Final = "public.ecr.aws/docker/library/busybox:1.37.0"
