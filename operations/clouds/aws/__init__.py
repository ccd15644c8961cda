"""What the clouds of a stack are asked, one module for each; `registry` chooses between them."""
