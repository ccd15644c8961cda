"""`atoll catalog refresh`: new prices from where providers publish them, held against the old ones first."""
