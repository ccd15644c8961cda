"""What `atoll relocate` can do, a command each."""
