"""THOUGHT: pure functions from a checklist to demands, options, bills, quotes and locks.

No Pulumi, no network, no clock: dates and prices are arguments. Library code raises; only `driver` exits.
"""
