"""One file for each step of a relocation."""
