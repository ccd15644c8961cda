"""Rules about money: ceilings, growth, age of prices, spot shares, what has no price."""
