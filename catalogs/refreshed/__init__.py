"""Prices that a refresh brought: which of several files of one catalog counts."""
