"""A clone as a typed transformation of a checklist: what is carried over, what is decided anew."""
