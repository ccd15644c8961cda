"""The onboarding plan as files, and each person's credentials as theirs alone."""
