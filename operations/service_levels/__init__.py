"""A month's samples from Prometheus or from files, and the report that is made of them."""
