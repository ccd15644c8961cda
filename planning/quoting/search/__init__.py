"""The search over all candidates: cheapest, fastest and other views, and why nothing fits."""
