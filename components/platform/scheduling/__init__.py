"""Queues and batch: Kueue, MultiKueue and Slurm."""
