"""Pre-flight: what must be so before a stack can start, checked against what its clouds say."""
