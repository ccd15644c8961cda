"""Commands that plan a stack, check its cloud and run the engine."""
