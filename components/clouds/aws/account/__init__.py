"""What belongs to the AWS account of a cluster: key, IAM roles, budget, audit trail, logs, private buckets."""
