"""Charts as SVG: bars, ranges, dots and lines, with their axes."""
