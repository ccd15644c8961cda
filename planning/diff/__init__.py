"""Two sides of a stack compared: bills, resources, breaches of rules, limits."""
