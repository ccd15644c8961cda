"""Rules over more than one field of a checklist, each a small function; `table` lists them."""
