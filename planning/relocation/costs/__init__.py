"""What a relocation costs: transfer, requests, two clusters side by side, and when it pays off."""
