"""A quote as tables: the summary, one option in full, its bill, and the derivation of a figure."""
