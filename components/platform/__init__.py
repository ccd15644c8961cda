"""Platform parts: what runs in the cluster for the people and the jobs in it."""
