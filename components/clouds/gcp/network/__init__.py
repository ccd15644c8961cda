"""Network of a cluster on Google Cloud: VPC, egress, peering, DNS zone and site-to-site VPN."""
