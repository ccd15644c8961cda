"""Node pools on AWS: managed ones and Karpenter's, with launch templates, placement groups and reservations."""
