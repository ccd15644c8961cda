"""The demand of each kind of workload: training, inference, notebooks, batch, and what they store."""
