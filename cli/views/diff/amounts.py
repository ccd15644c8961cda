"""Amounts of a comparison as a reader meets them. They come from outside: what is no number is said to be none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.terminal.amounts import ABOUT, number, usd, usd_exact
from planning.values.money import parse_amount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.diff.form import AmountForm, DeltaForm, DiffForm, LineDiffForm

NO_NUMBER: Final = "not a number"
NOT_KNOWN: Final = "not known"
NOT_THERE: Final = "none"
READINGS: Final = ("min", "expected", "max")


def money(text: str | None) -> str:
    value = parse_amount(text)
    return NO_NUMBER if value is None else usd(value)


def limit(text: str) -> str | None:
    """A limit of USD in cents; None where it is said in words."""
    value = parse_amount(text)
    return None if value is None else usd(value)


def format_signed(text: str | None) -> str:
    """USD in cents, with its sign; nothing has none."""
    value = parse_amount(text)
    if value is None:
        return NO_NUMBER
    return f"+{usd(value)}" if value > 0 else usd(value)


def missing(count: int) -> str:
    """Number of unpriced lines: "2 without a price"."""
    return f"{count} without a price"


def amount(form: AmountForm | None, *, absent: str = NOT_THERE) -> str:
    """What one side costs, expected; never 0 for an unknown price."""
    if form is None:
        return absent
    expected, unpriced = form["usd_per_month"]["expected"], form["unpriced"]
    shown = f"{ABOUT if form['estimated'] else ''}{money(expected)}"
    if not unpriced:
        return shown
    return f"at least {shown}, {missing(unpriced)}" if parse_amount(expected) else f"not known, {missing(unpriced)}"


def spread(form: AmountForm | DeltaForm | None) -> str:
    """Least and most, where they differ: "1,000.00 to 2,000.00"; else ""."""
    if form is None:
        return ""
    readings = form["usd_per_month"]
    least, expected, most = (parse_amount(readings[each]) for each in READINGS)
    if None in (least, expected, most) or least == expected == most:
        return ""
    return f"{usd(least)} to {usd(most)}"


def delta(form: DeltaForm | None, *sides: AmountForm | None) -> str:
    """By how much it moves; with `sides`, it is said where something of them has no price or an estimate."""
    if form is None:
        return NOT_KNOWN
    unpriced = sum(side["unpriced"] for side in sides if side)
    about = ABOUT if any(side["estimated"] for side in sides if side) and has_change(form) else ""
    moved = f"{about}{format_signed(form['usd_per_month']['expected'])}"
    if not unpriced:
        return moved
    return f"{moved} as far as priced" if parse_amount(form["usd_per_month"]["expected"]) else NOT_KNOWN


def percent(form: DeltaForm | None) -> str:
    """The same in percent; "" where there was nothing before."""
    value = parse_amount(form["percent"]) if form and form["percent"] is not None else None
    return "" if value is None else f"{value:+,.1f}%"


def has_change(form: DeltaForm | None) -> bool:
    return form is not None and any(parse_amount(form["usd_per_month"][each]) != 0 for each in READINGS)


def format_total_change(form: DiffForm) -> str:
    if form["delta"] is None and not form["stacks"]:
        return "no stack differs"
    return headline(form["delta"], form["old"], form["new"])


def headline(form: DeltaForm | None, *sides: AmountForm | None) -> str:
    """The change in a few words: "+1,234.56 USD a month (+12.3%)"."""
    if form is None:
        return "the change in USD a month is not known"
    share = percent(form)
    said = delta(form, *sides)
    if said == NOT_KNOWN:
        return "the change in USD a month is not known"
    moved, partly, _ = said.partition(" as far as priced")
    return f"{moved} USD a month" + (f" ({share})" if share else "") + partly


def quantities(line: LineDiffForm) -> str:
    """Both quantities, "1,460 → 2,920", or the one that stays."""
    return _pair([_quantity(each) for each in line["quantity"]])


def unit_prices(line: LineDiffForm) -> str:
    """Both prices, "39.80 → 41.00", or the one that stays; "" where none is known."""
    return _pair(
        [usd_exact(value) if (value := parse_amount(each)) is not None else "" for each in line["usd_per_unit"]]
    )


def _quantity(text: str) -> str:
    value = parse_amount(text)
    return "" if value is None else number(value)


def _pair(both: Sequence[str]) -> str:
    known = [each for each in both if each]
    return " → ".join(dict.fromkeys(known))
