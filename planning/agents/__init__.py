"""Decisions that our programs in pods take: spend guard, burn-in, records. Standard library only."""
