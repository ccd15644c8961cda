"""The handbook of the customer's engineers: a site made from the lock, the checklist and the stack's outputs."""
