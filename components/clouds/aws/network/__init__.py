"""The VPC of a cluster, its way out, peering, DNS zone and site-to-site VPN."""
