"""A document as one HTML page and as Markdown, with the style sheet that all pages share."""
