"""The checklist as typed, frozen sections, with the units and words that its fields may use."""
