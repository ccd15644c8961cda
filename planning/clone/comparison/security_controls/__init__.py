"""Security controls of a stack on each cloud, and what provides them."""
