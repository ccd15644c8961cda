"""Private access to a cluster on any cloud: WireGuard VPN, SSH, and the site-to-site tunnel."""
