"""The SDKs that nodes are mended with."""
