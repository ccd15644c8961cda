"""LAW: rules over what a stack registers, one file per rule. None is written yet: `atoll plan` judges the ceiling."""
