"""Offers that could serve a demand: which are eligible, and what their hours cost."""
