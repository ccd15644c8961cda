"""Components: what a cluster is made of, one room for each part, one file for each cloud in it."""
