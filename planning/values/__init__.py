"""Small values that every room uses: money, errors, verdicts, hostnames, address ranges."""
