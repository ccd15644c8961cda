"""The model of every document: headings, tables, and figures with footnotes that name their source."""
