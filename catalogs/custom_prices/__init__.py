"""The customer's own price book: its file, read and checked, and laid over the list prices."""
