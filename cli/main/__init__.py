"""The command line itself: its entry, the table of commands, and how a fault becomes a message and an exit code."""
