"""One file for each command: it parses its options, calls one operation, shows one view, and returns an exit code."""
