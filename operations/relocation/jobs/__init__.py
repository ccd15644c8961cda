"""TODO operations.relocation.jobs."""
