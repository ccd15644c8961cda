"""Network of a cluster on AWS: VPC, egress, peering, DNS zone and site-to-site VPN."""
