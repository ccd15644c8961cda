"""The commands below `atoll nodes`: list, watch and repair nodes."""
