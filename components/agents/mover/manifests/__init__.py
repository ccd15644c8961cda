"""Lists of what a bucket holds, with block hashes: written, sorted, sampled and compared."""
