"""Files that people hand in: YAML, CSV and JSON read strictly, with the place of every fault."""
