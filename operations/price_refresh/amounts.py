"""Numbers of a source as amounts: finite, of a size that a price has, without the noise of binary fractions."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from operations.price_refresh.model import PriceReadError

MOST: Final = Decimal(10**7)  # USD; a rack of 72 GPUs costs some hundreds an hour
STEP: Final = Decimal("1e-9")


def read_amount(value: object, *, name: str) -> Decimal:
    """A number of a JSON answer; below 0 too, which is for the gates to refuse.

    Args:
        name: what it is the price of, for messages.

    Raises:
        PriceReadError: a text, a truth, nothing, or no number of that size.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PriceReadError(f"{name} is {str(value)[:40]!r} and no number: the source has changed its form")
    return read_amount_text(repr(value) if isinstance(value, float) or abs(value) < MOST else "1e99", name=name)


def read_amount_text(text: str, *, name: str) -> Decimal:
    """A number of a table's cell, as `read_amount`."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite() or abs(found) >= MOST:
        raise PriceReadError(f"{name} is {text[:40]!r} and no amount: the source has changed its form")
    return Decimal(format(found.quantize(STEP).normalize(), "f"))


def read_count(value: object, *, name: str) -> int:
    """A whole number of things in a JSON answer.

    Raises:
        PriceReadError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST:
        raise PriceReadError(f"{name} is {str(value)[:40]!r} and no count: the source has changed its form")
    return value
