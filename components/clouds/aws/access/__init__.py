"""Access to a cluster on AWS: VPN gateway, IAM roles and kubeconfigs."""
