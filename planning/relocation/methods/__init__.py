"""How each asset is moved, what each method loses, and what people do by hand."""
