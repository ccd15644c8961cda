"""What every component is given: placement, settings, names and tags, declared charges; and what pods read of us."""
