"""The plan from the accepted quote to the first job: steps, dates, owners, and what the customer does."""
