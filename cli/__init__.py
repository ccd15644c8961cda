"""The `atoll` command: the only room that prints, asks questions, reads the clock and exits."""
