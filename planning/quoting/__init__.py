"""From a checklist to priced options of a whole cluster, and the quote that compares them."""
