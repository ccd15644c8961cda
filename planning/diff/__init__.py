"""Two sides of a stack: what moves in the bill, in the resources, and before the rules."""
