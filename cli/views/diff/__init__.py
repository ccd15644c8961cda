"""A comparison of two refs as tables, with its amounts and verdicts in words."""
