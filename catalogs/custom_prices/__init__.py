"""TODO catalogs.custom_prices."""
