"""What a month delivered, and what is owed back for what it did not: from recorded minutes, pure."""
