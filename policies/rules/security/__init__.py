"""Rules about security: encryption, identity, exposure, rights, protected data."""
