"""The VPC of a cluster on Google Cloud, its way out, peering, DNS zone and site-to-site VPN."""
