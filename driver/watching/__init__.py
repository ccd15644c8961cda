"""Running stacks, looked at again: today's prices, the accepted cluster, the rules."""
