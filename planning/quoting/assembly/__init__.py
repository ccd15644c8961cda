"""A whole cluster around its machines: zones, access, platform parts, teams, fixed costs."""
