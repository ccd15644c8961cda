"""Account-level resources on AWS: key, IAM roles, budget, audit trail, logs, private buckets."""
