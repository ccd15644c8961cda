"""Amounts as a reader meets them: thousands apart, cents for money, a floor marked as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.json_form import expected_nodes
from planning.money import CENT, to_cents

if TYPE_CHECKING:
    from datetime import date
    from decimal import Decimal

    from planning.bill import Bill
    from planning.money import Range
    from planning.spec import Pool

NOT_KNOWN: Final = "-"
_MOST_DECIMALS: Final = 8


def usd(amount: Decimal | None) -> str:
    """USD in cents; "-" where nobody knows."""
    return NOT_KNOWN if amount is None else f"{to_cents(amount):,}"


def usd_exact(amount: Decimal | None) -> str:
    """A unit price with the digits of its source, two at least and eight at most."""
    if amount is None:
        return NOT_KNOWN
    text = f"{round(amount, _MOST_DECIMALS):,f}".rstrip("0")
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals:0<2}"


def readings(amount: Range) -> tuple[Decimal, Decimal, Decimal]:
    """Min, expected, max."""
    return amount.min, amount.expected, amount.max


def usd_range(amount: Range | None) -> tuple[str, str, str]:
    """Min, expected and max in cents."""
    if amount is None:
        return NOT_KNOWN, NOT_KNOWN, NOT_KNOWN
    least, expected, most = (usd(each) for each in readings(amount))
    return least, expected, most


def floor(amount: str, *, unpriced: int) -> str:
    """An amount that is only a floor says so."""
    return f">= {amount}" if unpriced else amount


def unpriced_note(unpriced: int) -> str:
    """How many lines have no price; "" for none."""
    return f"{unpriced} unpriced" if unpriced else ""


def total(amount: Decimal, *, bill: Bill) -> str:
    """A sum of a bill: ">= 12,345.67 (2 unpriced)"."""
    missing = len(bill.unpriced)
    return floor(usd(amount), unpriced=missing) + (f" ({unpriced_note(missing)})" if missing else "")


def number(value: Decimal) -> str:
    """A quantity to at most two decimals, without trailing zeros."""
    text = f"{value.quantize(CENT):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def number_range(quantity: Range) -> str:
    """A quantity, or its three readings where they differ."""
    parts = [number(each) for each in readings(quantity)]
    return parts[0] if len(set(parts)) == 1 else " / ".join(parts)


def nodes(pool: Pool) -> str:
    """Least / average / most nodes of a pool."""
    return f"{pool.min_nodes} / {number(expected_nodes(pool))} / {pool.max_nodes}"


def percent(value: Decimal | None) -> str:
    """A signed difference in whole percent."""
    return NOT_KNOWN if value is None else f"{value:+.0f}%"


def day(value: date | None) -> str:
    """A day, or that there is none."""
    return value.isoformat() if value else "undated"
