"""Stacks: what each customer asked for, what was decided, and the program that builds it."""
