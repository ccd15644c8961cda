"""The acceptance of a delivered cluster: runs the Jobs that measure, keeps their records, signs the report."""
