"""The end of a site-to-site VPN in an Azure network."""
