"""How people reach a cluster on AWS: the VPN gateway, IAM roles, kubeconfigs, forwarded logs."""
