"""Service credits: the share of the month's charge that the table of credits grants, and the cost of unusable nodes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from planning.spec.lock_content import State
from planning.values.money import ZERO, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planning.service_levels.availability import Availability
    from planning.spec.lock import Lock

HOUR = 3600


@dataclass(frozen=True, slots=True)
class CreditStep:
    """A row of the table of credits: below that availability, that share of the charge; both in percent."""

    below_percent: Decimal
    credit_percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCredit:
    """Charge of one line of the bill in this month, and its credit.

    Args:
        line: index in the lock's bill.
        charge: USD; None where the line has no price.
        percent: of the charge.
    """

    line: int
    charge: Decimal | None
    percent: Decimal

    @property
    def owed(self) -> Decimal | None:
        """Credit in USD, rounded half up to cents; None where the line has no price."""
        if not self.percent:
            return ZERO
        return None if self.charge is None else to_cents(self.charge * self.percent / 100)


@dataclass(frozen=True, slots=True)
class Sum:
    """Credit of several lines; `untold` are the indices of credited lines without a price."""

    usd: Decimal
    untold: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCredit:
    """Credit of one part: the least, if unmeasured time was up, and the most, if it was down."""

    attained: Availability
    percent_least: Decimal
    percent_most: Decimal
    least: tuple[LineCredit, ...]
    most: tuple[LineCredit, ...]
    unusable: tuple[Decimal, Decimal] | None
    """USD of node-hours that were paid for and could not be used; None without a price, or for a part without nodes."""


def find_credit_percent(attained: Fraction | None, table: Iterable[CreditStep]) -> Decimal:
    """The largest credit whose availability was not reached; 0 where nothing was committed."""
    if attained is None:
        return ZERO
    return max((step.credit_percent for step in table if attained < Fraction(step.below_percent)), default=ZERO)


def calculate_credit(
    found: Availability, *, nodes: Availability | None, lock: Lock, table: Sequence[CreditStep], month_seconds: int
) -> ServiceCredit:
    """Credit of one part's month.

    Args:
        nodes: availability of the nodes of the pool that the lines belong to; None for lines of no pool.
    """
    counted = Fraction(month_seconds - found.sum_seconds("before"), month_seconds)
    least = find_credit_percent(found.percent_if_up, table) if found.part.counted else ZERO
    most = find_credit_percent(found.percent_if_down, table) if found.part.counted else ZERO
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
    """Sum of the credits: each line once, at its largest percent."""
    chosen: dict[int, LineCredit] = {}
    for each in readings:
        # Each line once: nodes and fabric of a pool may both have missed, and both name its lines.
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
    """Least and most that a line costs in this month; not known where its price is none, or an estimate.

    Permanent resources cost the counted share of the month. Autoscaled nodes cost the committed node-hours, at the
    lock's price of a node-hour.
    """
    usd = lock.bill[line].usd_per_month
    if usd is None:
        # No price is not nothing: a credit on it is unknown, and may be large.
        return (ZERO, ZERO) if lock.bill[line].state == State.FREE else (None, None)
    if lock.bill[line].state == State.ESTIMATED:
        return (None, None)
    if nodes is not None and (rate := _elastic_rate(nodes, lock, usd)) is not None:
        return to_decimal(node_hours(nodes.owed) * rate), to_decimal(node_hours(nodes.owed + nodes.unknown) * rate)
    return to_decimal(Fraction(usd[0]) * counted), to_decimal(Fraction(usd[2]) * counted)


def _elastic_rate(found: Availability, lock: Lock, usd: tuple[Decimal, Decimal, Decimal]) -> Fraction | None:
    """USD of this line for a node-hour of the pool; None unless the pool is autoscaled."""
    if found.part.owed is None or not found.part.owed.elastic:
        return None
    hours = _node_hours(found, lock)
    at = 1 if hours[1] else 2
    return Fraction(usd[at]) / Fraction(hours[at]) if hours[at] else None


def _node_hours(found: Availability, lock: Lock) -> tuple[Decimal, Decimal, Decimal]:
    """Node-hours of the part's pools in the lock's month: min, expected, max."""
    pools = [lock.spec.pools[at].node_hours for at in found.part.pools]
    return (
        sum((each.min for each in pools), start=ZERO),
        sum((each.expected for each in pools), start=ZERO),
        sum((each.max for each in pools), start=ZERO),
    )


def _unusable(found: Availability, lock: Lock) -> tuple[Decimal, Decimal] | None:
    """USD of node-hours that were committed and not delivered, at the lock's price of a node-hour: least, most."""
    hours = _node_hours(found, lock)
    lines = [lock.bill[line] for line in found.part.lines]
    if (
        found.part.kind != "nodes"
        or not lines
        or any(line.state in {State.UNPRICED, State.ESTIMATED} for line in lines)
    ):
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
