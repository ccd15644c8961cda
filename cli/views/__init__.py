"""Tables and trees for a terminal, one file for each subject: pure functions from results to what Rich prints."""
