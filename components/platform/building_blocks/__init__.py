"""TODO components.platform.building_blocks."""
