"""Databases of a relocation: dump, restore, comparison, and the rewriting of addresses in them."""
