"""The EKS control plane, its add-ons, Karpenter, load balancers and kubeconfig."""
