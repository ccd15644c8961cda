"""Times, sizes and amounts as a plan says them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.volume import gb_of
from planning.values.money import to_cents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.relocation.durations import DurationEstimate
    from planning.values.money import Range

MINUTE: Final = Decimal(60)
HOUR: Final = MINUTE * 60
DAY: Final = HOUR * 24
MOST_LISTED: Final = 6
TB: Final = Decimal(1000)  # in GB


def span_text(span: DurationEstimate) -> str:
    """As in "2.3 hours", "1.2 to 4.0 days", "up to 1 hour", "at least 3 minutes", "not known yet"."""
    if span.seconds is None:
        return "not known yet"
    least, most = duration(span.seconds.min), duration(span.seconds.max)
    known = most if least == most or span.seconds.min == 0 else f"{least} to {most}"
    if span.seconds.min == 0 and span.seconds.max:
        return f"up to {known}{' for what is known, and more' if span.at_least else ''}"
    return f"at least {known}" if span.at_least else known


def duration(seconds: Decimal) -> str:
    """In the largest unit of which there is one."""
    for unit, name in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
        if seconds >= unit:
            return _plural(f"{seconds / unit:,.1f}".removesuffix(".0"), name)
    return _plural(f"{seconds:,.0f}", "seconds")


def _plural(number: str, unit: str) -> str:
    return f"{number} {unit.removesuffix('s') if number == '1' else unit}"


def size_text(size: Range | None) -> str:
    """As in "50 TB", "up to 40 GB"; "-" where it is unknown."""
    if size is None:
        return "-"
    gb = gb_of(size)
    most = f"{gb.max / TB:,.1f} TB".replace(".0 ", " ") if gb.max >= TB else f"{gb.max:,.1f} GB".replace(".0 ", " ")
    return most if gb.min == gb.max else f"up to {most}"


def amount(usd: Range, *, unpriced: int = 0) -> str:
    """As in "1,000.00 USD (900.00 to 1,200.00)"; a floor where something has no price."""
    expected = f"{to_cents(usd.expected):,} USD"
    ends = "" if usd.min == usd.max else f" ({to_cents(usd.min):,} to {to_cents(usd.max):,})"
    lines = "1 line" if unpriced == 1 else f"{unpriced} lines"
    return f">= {expected}{ends}, {lines} without a price" if unpriced else f"{expected}{ends}"


def format_names(names: Sequence[str]) -> str:
    """The first of them, and how many more."""
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more
