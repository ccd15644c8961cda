"""FACTS: dated, sourced rows about accelerators, machines, prices, regions and providers.

The facts are the CSV files; the code around them only reads. `model` says what a row is, `rows` makes one, `reader`
reads files, `lookup` finds prices by key, `offering` joins a price with its machine, `own` lays the customer's prices
over them, `age` says how old a price is, `sound` and `check` find what is wrong, `sources_page` prints where facts come
from. Nothing here decides anything.
"""
