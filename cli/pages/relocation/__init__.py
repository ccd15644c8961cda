"""The plan of a relocation as HTML and Markdown, with the procedures that people follow by hand."""
