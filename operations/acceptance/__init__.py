"""`atoll accept-test`: runs what measures, keeps what was measured, signs what is said about it."""
