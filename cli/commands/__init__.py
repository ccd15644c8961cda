"""One file for each command: arguments in, answer shown, exit code out."""
