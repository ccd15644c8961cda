"""relocation.yaml and the other files that people hand in: models, rules, readers and a first draft."""
