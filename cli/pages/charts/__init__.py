"""The options of a quote on one self-contained page."""
