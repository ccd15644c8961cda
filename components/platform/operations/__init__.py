"""What keeps a cluster running and within its money: Argo CD, backups, the spend guard, node problems."""
