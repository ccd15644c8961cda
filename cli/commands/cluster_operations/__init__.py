"""Commands that work on running clusters."""
