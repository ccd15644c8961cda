"""FACTS: dated, sourced rows about accelerators, machines, prices, regions and providers.

Only `model` (what a row is) and `reader` (how rows are read) are code. Nothing here decides anything.
"""
