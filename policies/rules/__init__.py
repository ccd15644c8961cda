"""The rules by subject, one file each with its `RULE`; `policies.table` lists them."""
