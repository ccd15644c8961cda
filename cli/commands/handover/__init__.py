"""Commands that hand a cluster over: acceptance, agreements, onboarding, exports."""
