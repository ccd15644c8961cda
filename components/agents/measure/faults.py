"""The two ways in which measuring can end without a figure."""

from __future__ import annotations


class FoundWrongError(Exception):
    """The tool ran and found something wrong: that is a result, and it fails the check in these words."""


class CannotMeasureError(Exception):
    """There is no result: the tool is not there, or what it wrote cannot be read. The message says which and why."""
