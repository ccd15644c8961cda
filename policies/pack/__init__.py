"""The policy pack that the engine runs: the only place of the rules that knows Pulumi."""
