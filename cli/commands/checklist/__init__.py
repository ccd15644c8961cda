"""Commands about checklists and the published schemas."""
