"""A request for quotation: what of an option has no firm price, as a page and as a price book to fill in."""
