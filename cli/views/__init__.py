"""Tables and trees for a terminal: pure functions from answers to what rich prints."""
