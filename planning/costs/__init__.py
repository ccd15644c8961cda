"""What a cluster costs: the bill, its pricing, bounds, prepayments, and total cost of ownership."""
