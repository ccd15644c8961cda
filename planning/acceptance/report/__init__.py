"""The report of an acceptance: one JSON document that can be signed, and the pages made from nothing but it."""
