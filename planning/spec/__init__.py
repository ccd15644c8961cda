"""What was decided: the cluster, its platform, and the lock that holds them. No price is made here."""
