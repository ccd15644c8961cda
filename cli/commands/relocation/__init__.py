"""The commands below `atoll relocate`, one file each."""
