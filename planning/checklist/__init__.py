"""The checklist: what the customer asks for, parsed once, frozen after."""
