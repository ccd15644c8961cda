"""The policy pack that the engine runs: the only rules code that imports Pulumi."""
