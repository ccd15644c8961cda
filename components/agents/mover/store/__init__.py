"""A client of the S3 protocol: connection, signature, requests, and answers read strictly."""
