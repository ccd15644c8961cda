"""What a month delivered against its service levels, and the credits that are owed."""
