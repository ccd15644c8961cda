"""Decisions that a clone needs: which are open, which answers they have, and files of answers."""
