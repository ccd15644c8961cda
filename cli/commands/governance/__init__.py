"""Commands that check what changes cost and which policies they break."""
