"""Facts as dated rows with a source: accelerators, machines, prices, regions, providers, software; and their readers.

The CSV files are the facts; the code around them only reads. `model` says what a row is, `parsing` makes one, `catalog`
reads the files, `prices` finds prices by key and says how old they are, `offers` joins a price with its machine,
`custom_prices` lays the customer's own over them, `integrity` and `validation` find what is wrong, and
`reference_pages` prints pages. Nothing here decides anything.
"""
