"""Questions to the clouds of a stack, one folder for each cloud; `registry` chooses between them."""
