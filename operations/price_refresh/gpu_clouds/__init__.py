"""Readers of gpuhunt's published catalogs and of the price interfaces of Oracle and of clouds that sell GPUs."""
