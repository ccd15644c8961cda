"""Azure's end of a site-to-site VPN."""
