"""What was delivered: what may be expected of it, what was measured, and the verdict."""
