"""DOOR: the `atoll` command. The only room that prints, reads the clock and exits."""
