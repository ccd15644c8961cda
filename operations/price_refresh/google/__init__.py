"""Google's Cloud Billing Catalog: every SKU of every service, for whoever has a key."""
