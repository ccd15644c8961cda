"""The commands below `atoll nodes`."""
