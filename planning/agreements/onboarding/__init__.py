"""From the accepted quote to the first job: steps, dates, owners, and what is the customer's to do."""
