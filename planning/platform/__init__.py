"""Which software a checklist asks for, and what it takes."""
