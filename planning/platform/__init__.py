"""Which software a checklist asks for, in which versions, and what it takes."""
