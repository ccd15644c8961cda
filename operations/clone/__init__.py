"""A stack's clone: its checklist at another placement, quoted anew, with no state of the first."""
