"""The answers to the question whether a bill is under its ceiling."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """The three answers to "is it under the ceiling?"."""

    WITHIN = "within"
    OVER = "over"
    UNDETERMINED = "undetermined"
