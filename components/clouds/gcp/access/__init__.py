"""How people reach a cluster on Google Cloud: the VPN gateway, service accounts, kubeconfigs, forwarded logs."""
