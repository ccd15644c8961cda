"""Azure Retail Prices: one public interface for every meter of every region."""
