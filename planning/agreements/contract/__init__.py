"""The annex of the contract: what was accepted and settled, as text in which every figure is traced."""
