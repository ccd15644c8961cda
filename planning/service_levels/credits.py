"""Credits: what of the month's charge is owed back, by the table of the agreement, and what unusable nodes cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from planning.values.money import ZERO, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from catalogs.model import Promise
    from planning.checklist.model.agreement import Credit
    from planning.service_levels.availability import Availability
    from planning.spec.lock import Lock

HOUR = 3600


@dataclass(frozen=True, slots=True)
class CreditStep:
    """A row of the table: below that attainment, that share of the charge; both in percent."""

    below_percent: Decimal
    credit_percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCredit:
    """What one line of the bill costs in this month, and what of it is owed back.

    Args:
        line: its index in the lock's bill.
        charge: USD; None where the line has no price.
        percent: of the charge.
    """

    line: int
    charge: Decimal | None
    percent: Decimal

    @property
    def owed(self) -> Decimal | None:
        """USD, rounded half up to cents, as each line is; None where nobody can tell."""
        if not self.percent:
            return ZERO
        return None if self.charge is None else to_cents(self.charge * self.percent / 100)


@dataclass(frozen=True, slots=True)
class Sum:
    """Of several lines; `untold` are indices of lines without a price of which something is owed back."""

    usd: Decimal
    untold: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCredit:
    """Of one part: the least, where what nobody measured was up, and the most, where it was down."""

    attained: Availability
    percent_least: Decimal
    percent_most: Decimal
    least: tuple[LineCredit, ...]
    most: tuple[LineCredit, ...]
    unusable: tuple[Decimal, Decimal] | None
    """USD of node-hours that were paid for and could not be used; None where a price is missing or it is no pool."""


def table_of_promises(below: Promise, credit: Promise) -> tuple[CreditStep, ...]:
    """The table of catalogs/promises.csv, which holds where the agreement has none."""
    return tuple(CreditStep(*each) for each in zip(below.values, credit.values, strict=True))


def table_of_agreement(credits_: Sequence[Credit]) -> tuple[CreditStep, ...]:
    """The table of the checklist, in its order."""
    return tuple(CreditStep(each.below_percent, each.credit_percent) for each in credits_)


def percent_owed(attained: Fraction | None, table: Iterable[CreditStep]) -> Decimal:
    """The largest credit whose attainment was not reached; nothing where nothing was owed."""
    if attained is None:
        return ZERO
    return max((step.credit_percent for step in table if attained < Fraction(step.below_percent)), default=ZERO)


def owing(
    found: Availability, *, nodes: Availability | None, lock: Lock, table: Sequence[CreditStep], month_seconds: int
) -> ServiceCredit:
    """What one part's month makes of the table.

    Args:
        nodes: the month of the pool whose lines these are; None where they are no pool's.
    """
    counted = Fraction(month_seconds - found.seconds("before"), month_seconds)
    least = percent_owed(found.percent_if_up, table) if found.part.counted else ZERO
    most = percent_owed(found.percent_if_down, table) if found.part.counted else ZERO
    charges = [_charge(nodes, lock, line, counted=counted) for line in found.part.lines]
    return ServiceCredit(
        attained=found,
        percent_least=least,
        percent_most=most,
        least=_readings(found, [low for low, _ in charges], least),
        most=_readings(found, [high for _, high in charges], most),
        unusable=_unusable(found, lock),
    )


def sum_credits(readings: Iterable[LineCredit]) -> Sum:
    """Every line once, at its largest percent: a pool whose nodes and fabric both fell short is credited for one."""
    chosen: dict[int, LineCredit] = {}
    for each in readings:
        if each.line not in chosen or each.percent > chosen[each.line].percent:
            chosen[each.line] = each
    amounts = {line: each.owed for line, each in chosen.items()}
    usd = sum((amount for amount in amounts.values() if amount is not None), start=ZERO)
    return Sum(usd, tuple(sorted(line for line, amount in amounts.items() if amount is None)))


def _readings(found: Availability, charges: Sequence[Decimal | None], percent: Decimal) -> tuple[LineCredit, ...]:
    lines = zip(found.part.lines, charges, strict=True)
    return tuple(LineCredit(line=line, charge=charge, percent=percent) for line, charge in lines)


def _charge(
    nodes: Availability | None, lock: Lock, line: int, *, counted: Fraction
) -> tuple[Decimal | None, Decimal | None]:
    """Least and most that a line costs in this month.

    What is there all the time costs its month, by the share of it that is counted. Nodes that come and go cost the
    node-hours that were owed, at the lock's price of one.
    """
    usd = lock.bill[line].usd_per_month
    if usd is None:
        return (ZERO, ZERO) if lock.bill[line].state == "free" else (None, None)
    if nodes is not None and (rate := _elastic_rate(nodes, lock, usd)) is not None:
        return to_decimal(node_hours(nodes.owed) * rate), to_decimal(node_hours(nodes.owed + nodes.unknown) * rate)
    return to_decimal(Fraction(usd[0]) * counted), to_decimal(Fraction(usd[2]) * counted)


def _elastic_rate(found: Availability, lock: Lock, usd: tuple[Decimal, Decimal, Decimal]) -> Fraction | None:
    """USD of this line for a node-hour of the pool; None where its nodes are always there, or it is no pool's."""
    if found.part.owed is None or not found.part.owed.elastic:
        return None
    hours = _node_hours(found, lock)
    at = 1 if hours[1] else 2
    return Fraction(usd[at]) / Fraction(hours[at]) if hours[at] else None


def _node_hours(found: Availability, lock: Lock) -> tuple[Decimal, Decimal, Decimal]:
    """Of the pools together, in a month of the price list: min, expected, max."""
    pools = [lock.spec.pools[at].node_hours for at in found.part.pools]
    return (
        sum((each.min for each in pools), start=ZERO),
        sum((each.expected for each in pools), start=ZERO),
        sum((each.max for each in pools), start=ZERO),
    )


def _unusable(found: Availability, lock: Lock) -> tuple[Decimal, Decimal] | None:
    """Node-hours that were owed and not there, at what a node-hour of the pool costs by the lock."""
    hours = _node_hours(found, lock)
    lines = [lock.bill[line] for line in found.part.lines]
    if found.part.kind != "nodes" or not lines or any(line.state == "unpriced" for line in lines):
        return None
    at = 1 if hours[1] else 2
    usd = sum((line.usd_per_month[at] for line in lines if line.usd_per_month is not None), start=ZERO)
    if not hours[at]:
        return None
    rate = Fraction(usd) / Fraction(hours[at])
    least, most = node_hours(found.short) * rate, node_hours(found.short + found.unknown) * rate
    return to_cents(to_decimal(least)), to_cents(to_decimal(most))


def node_hours(node_seconds: Fraction) -> Fraction:
    """Hours of one node, from seconds of several."""
    return node_seconds / HOUR


def to_decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
