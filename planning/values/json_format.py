"""How values stand in our JSON: the version of its shapes, and decimals as text."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

SCHEMA_VERSION: Final = 2
TEN_THOUSANDTH: Final = Decimal("0.0001")


def decimal_text(value: Decimal) -> str:
    """A decimal without exponent and without trailing zeros."""
    return format(value.normalize(), "f") if value else "0"
