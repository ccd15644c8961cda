"""Networks: address ranges, gateways, and the joint with the customer's own network."""
