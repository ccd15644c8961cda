"""Rules about money: ceilings, growth, age of prices, unpriced resources."""
