"""The quote as a document: its chapters, its charts, and the HTML and Markdown of it."""
