"""One folder for each cloud, with the same file names in each; clouds do not import each other."""
