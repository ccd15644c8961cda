"""Figures in the output of tools, read strictly, and figures of ours as decimal texts."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NUMBER: Final = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,2})?", re.ASCII)
SHOWN: Final = 100  # characters of an output that a fault repeats


def number(text: str) -> Decimal | None:
    """A number with a point, as in the C locale; None for "N/A", "inf", "1,59" and anything else."""
    return Decimal(text) if NUMBER.fullmatch(text) else None


def text(value: Decimal | float, *, places: int = 3) -> str:
    """A decimal text without exponent: "794.512", "16"."""
    written = f"{value:.{places}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def uncoloured(output: str) -> str:
    """An output without the colours of a terminal."""
    return COLOUR.sub("", output)


def shown(output: str) -> str:
    """The beginning of an output in one line, for a message."""
    words = " ".join(output.split())
    return words[:SHOWN] + ("..." if len(words) > SHOWN else "") if words else "nothing"
