"""What metadata says of where artifacts lie, and its rewriting: plain SQL over DB-API 2.0, nothing installed."""
