"""What the value of a sample can be."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from planning.service_levels.series import SHARES, SampleError

if TYPE_CHECKING:
    from planning.service_levels.series import Name

MOST_NODES: Final = 1_000_000


def check_value(name: Name, value: Fraction) -> None:
    """A share lies between nothing and all; nodes are whole, and not below nothing.

    Raises:
        SampleError: it does not.
    """
    if name.metric in SHARES:
        if not 0 <= value <= 1:
            raise SampleError(f"{name} is {_said(value)}: a share lies between 0 and 1")
    elif value.denominator != 1 or not 0 <= value <= MOST_NODES:
        raise SampleError(f"{name} is {_said(value)}: nodes are a whole number")


def rounded(value: Fraction) -> Fraction:
    """A share as files keep it, with twelve decimals, so that a file and its export reckon the same."""
    return Fraction(round(value * 10**12), 10**12) if value.denominator != 1 else value


def _said(value: Fraction) -> str:
    return f"{float(value):g}"
