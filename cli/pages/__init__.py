"""Pages for people to read and sign: HTML, Markdown and a calendar, made from results."""
