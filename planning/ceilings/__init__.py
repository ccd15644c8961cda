"""A bill against its ceiling: the verdict, bounds of a month's spend, cheapest savings, the guard's plan."""
