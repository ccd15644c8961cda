"""Runs the steps of a relocation in order, with a journal, so that a killed run goes on or is taken back."""
