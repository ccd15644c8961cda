"""Do the two sides of the money agree: the bill of what was accepted, and the takeoff of what the program registers?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.values.money import NOTHING, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from planning.costs.bill import Bill, LineItem
    from planning.values.money import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One line on which they do not agree; None: the line is missing on that side, or has no price there."""

    key: str
    bill: Range | None
    takeoff: Range | None
    reason: str


def differences(bill: Bill, takeoff: Bill) -> tuple[Difference, ...]:
    """Every line whose amounts differ by a cent, or that only one side has; in the order of the bill."""
    ours, theirs = _by_key(bill), _by_key(takeoff)
    keys = dict.fromkeys((*ours, *theirs))
    return tuple(found for key in keys for found in _compare(key, ours.get(key, ()), theirs.get(key, ())))


def _by_key(bill: Bill) -> Mapping[str, tuple[LineItem, ...]]:
    """Lines under the key of their charge: tiers and equal keys of several resources together."""
    found: dict[str, tuple[LineItem, ...]] = {}
    for line in bill.lines:
        key = line.key.partition("#")[0].partition("~")[0]
        found[key] = (*found.get(key, ()), line)
    return found


def _compare(key: str, ours: tuple[LineItem, ...], theirs: tuple[LineItem, ...]) -> Iterator[Difference]:
    bill, takeoff = _amount(ours), _amount(theirs)
    reason = _reason(ours, theirs, equal=_cents(bill) == _cents(takeoff))
    if reason:
        yield Difference(key=key, bill=bill, takeoff=takeoff, reason=reason)


def _reason(ours: tuple[LineItem, ...], theirs: tuple[LineItem, ...], *, equal: bool) -> str:
    """Why two sides of one key differ; "" where they do not."""
    if not theirs:
        return "no resource is counted for it" if any(_weighs(line) for line in ours) else ""
    if not ours:
        return "the accepted cluster does not have it" if any(_weighs(line) for line in theirs) else ""
    if equal:
        return ""
    unpriced = [line.note for line in theirs if line.usd_per_month is None]
    return unpriced[0] if unpriced else "the amounts differ"


def _weighs(line: LineItem) -> bool:
    """Whether a line is more than a zero: an amount, or something that has no price."""
    return line.usd_per_month is None or line.usd_per_month.max > 0


def _amount(lines: tuple[LineItem, ...]) -> Range | None:
    """What lines of one key cost together; None where there are none or one has no price."""
    amounts = [line.usd_per_month for line in lines]
    known = [amount for amount in amounts if amount is not None]
    if not lines or len(known) < len(amounts):
        return None
    return sum(known, start=NOTHING)


def _cents(amount: Range | None) -> tuple[Decimal, Decimal, Decimal] | None:
    if amount is None:
        return None
    return to_cents(amount.min), to_cents(amount.expected), to_cents(amount.max)
