"""Quotes and plans of a stack: price it, register it, compare it with the lock, judge it, watch what runs."""
