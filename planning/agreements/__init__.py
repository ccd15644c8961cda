"""What provider and customer agree on, as documents: the contract's annex and the onboarding plan."""
