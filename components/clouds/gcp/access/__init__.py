"""Access to a cluster on Google Cloud: VPN gateway, service accounts and kubeconfigs."""
