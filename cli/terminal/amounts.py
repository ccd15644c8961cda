"""Amounts as a reader meets them: thousands apart, cents for money, a floor marked as one."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from catalogs.parsing import spell_unit
from planning.values.money import CENT, round_to, to_cents

if TYPE_CHECKING:
    from datetime import date

    from planning.costs.bill import Bill
    from planning.values.money import Range

NOT_KNOWN: Final = "-"
ABOUT: Final = "~"  # before an amount that holds an estimate
HOURS_PER_DAY: Final = 24
_EXACT: Final = Decimal("1e-8")  # the digits of a unit price that are shown
_TERM: Final = Decimal("1e-6")
_LONG: Final = Decimal(10**15)  # from here on nobody counts the digits
_SHORT_FROM: Final = Decimal(10_000_000)  # USD that stand in millions where there is little room
_SHORT: Final = ((Decimal(10**12), "T"), (Decimal(10**9), "B"), (Decimal(10**6), "M"))
_WHOLE: Final = Decimal(1)
_TENTH: Final = Decimal("0.1")
_FEW_HOURS: Final = 10  # below them a tenth matters
_MOST_HOURS: Final = 72  # of a time that is told in hours
_MANY_DAYS: Final = 100  # beside them hours do not matter


def usd(amount: Decimal | None) -> str:
    """USD in cents; "-" where it is not known."""
    return NOT_KNOWN if amount is None else f"{to_cents(amount):,}"


def usd_exact(amount: Decimal | None) -> str:
    """A unit price with the digits of its source, two at least and eight at most."""
    if amount is None:
        return NOT_KNOWN
    text = f"{round_to(amount, _EXACT):,f}".rstrip("0")
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals:0<2}"


def readings(amount: Range) -> tuple[Decimal, Decimal, Decimal]:
    return amount.min, amount.expected, amount.max


def usd_range(amount: Range | None) -> tuple[str, str, str]:
    if amount is None:
        return NOT_KNOWN, NOT_KNOWN, NOT_KNOWN
    least, expected, most = (usd(each) for each in readings(amount))
    return least, expected, most


def floor(amount: str, *, unpriced: int, estimated: int = 0) -> str:
    """An amount that is only a floor, or that holds an estimate, says so."""
    about = f"{ABOUT}{amount}" if estimated else amount
    return f">= {about}" if unpriced else about


def mark(amount: str, bill: Bill) -> str:
    """An amount of a bill: ">= ~12,345.67" where lines have no price and others an estimate."""
    return floor(amount, unpriced=len(bill.unpriced), estimated=len(bill.estimated))


def format_unpriced(bill: Bill) -> str:
    """How many lines have no price or an estimate, "2 unpriced, 3 estimated"; "" for none."""
    counts = {"unpriced": len(bill.unpriced), "estimated": len(bill.estimated)}
    return ", ".join(f"{number} {what}" for what, number in counts.items() if number)


def describe_month(bill: Bill) -> str:
    """The expected month of a bill in a sentence: ">= ~12,345.67 USD a month expected (2 lines unpriced)"."""
    counts = {"unpriced": ("line", len(bill.unpriced)), "estimated": ("item", len(bill.estimated))}
    said = [f"{count} {noun}{'' if count == 1 else 's'} {what}" for what, (noun, count) in counts.items() if count]
    lines = f" ({', '.join(said)})" if said else ""
    return f"{mark(usd(bill.usd_per_month.expected), bill)} USD a month expected{lines}"


def total(amount: Decimal, *, bill: Bill) -> str:
    """A sum of a bill: ">= ~12,345.67 (2 unpriced, 3 estimated)"."""
    doubts = format_unpriced(bill)
    return mark(usd(amount), bill) + (f" ({doubts})" if doubts else "")


def number(value: Decimal) -> str:
    """A quantity to at most two decimals, without trailing zeros; "8.43e23" where it has more than 15 digits."""
    return _scientific(value) if abs(value) >= _LONG else _strip_zeros(f"{round_to(value, CENT):,f}")


def term_number(value: str) -> str:
    """A term of a formula, without the tail of a division; what is no number as it is."""
    try:
        found = Decimal(value)
    except InvalidOperation:
        return value
    if not found.is_finite():
        return value
    if abs(found) >= _LONG or (found and not round_to(found, _TERM)):
        return _scientific(found)
    return _strip_zeros(f"{round_to(found, _TERM):,f}")


def _scientific(value: Decimal) -> str:
    digits, _, power = f"{value:.2e}".partition("e")
    return f"{_strip_zeros(digits)}e{int(power)}"


def _strip_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def usd_short(amount: Decimal, *, bill: Bill | None = None) -> str:
    """Whole USD, millions from ten of them on; marked as an amount of a bill is, a floor rounded down."""
    # Rounded up, "at least" would claim more than is known.
    rounding = ROUND_DOWN if bill and bill.unpriced else ROUND_HALF_UP
    unit, word = next((each for each in _SHORT if amount >= max(each[0], _SHORT_FROM)), (_WHOLE, ""))
    step = CENT if word else _WHOLE
    shown = _scientific(amount) if amount >= _LONG else f"{round_to(amount / unit, step, rounding=rounding):,f}{word}"
    return mark(shown, bill) if bill else shown


def duration(hours: Decimal) -> str:
    """A time as people say it: "< 1 min", "25 min", "1.5 h", "32 h", "4 d 7 h"; days alone from a hundred on."""
    if hours * 60 < 1:
        return "< 1 min"
    if hours < 1:
        return f"{round_to(hours * 60, _WHOLE):f} min"
    whole = round_to(hours, _WHOLE)
    if whole < _FEW_HOURS:
        return f"{_strip_zeros(f'{round_to(hours, _TENTH):f}')} h"
    if whole <= _MOST_HOURS:
        return f"{whole:f} h"
    if whole >= _MANY_DAYS * HOURS_PER_DAY:
        return f"{number(round_to(hours / HOURS_PER_DAY, _WHOLE))} d"
    days, rest = divmod(whole, HOURS_PER_DAY)
    return f"{days:f} d {rest:f} h" if rest else f"{days:f} d"


def days(value: Decimal) -> str:
    """A deadline: "14 days", "1 day", "6 hours"."""
    shown, unit = (number(value), "day") if value >= 1 else (number(value * HOURS_PER_DAY), "hour")
    return f"{shown} {unit}{'' if shown == '1' else 's'}"


def number_range(quantity: Range) -> str:
    """A quantity, or its three readings where they differ."""
    parts = [number(each) for each in readings(quantity)]
    return parts[0] if len(set(parts)) == 1 else " / ".join(parts)


def quantity(amount: Range, unit: str) -> str:
    """A quantity with its unit: "730 hours", "1 month", "0 / 35.87 / 72 GB-month"."""
    amounts = number_range(amount)
    return f"{amounts} {spell_unit(unit, amounts)}".strip()


def percent(value: Decimal | None) -> str:
    """A signed difference in whole percent; "0%" has no sign."""
    if value is None:
        return NOT_KNOWN
    whole = round_to(value, _WHOLE)
    return f"{whole:+f}%" if whole else "0%"


def day(value: date | None) -> str:
    return value.isoformat() if value else "undated"
