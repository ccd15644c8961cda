"""Inputs of every component: placement, settings, names and tags, declared charges."""
