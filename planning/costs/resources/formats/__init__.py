"""Readers of files with resources: a plan, a preview, an exported stack. One file for each format."""
