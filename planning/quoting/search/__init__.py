"""Options: every machine, region and purchase that satisfies the demand, judged as whole clusters."""
