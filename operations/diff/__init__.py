"""A comparison of two trees: each is asked in its own process, and the base judges the head."""
