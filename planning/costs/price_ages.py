"""How old the prices are that a bill rests on, and which of them are past a limit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.ages import MACHINE_AGE, SERVICE_AGE, DatedPrice, Freshness, age_days, judge_age, start_of_age
from catalogs.catalog import SERVICES
from planning.costs.bill import placement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from planning.costs.bill import Bill, LineItem


# A price matters that makes up this share of an option's expected month: twice as much of it is no decision.
_SHARE_THAT_MATTERS: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineAge:
    """How old the price of one line is.

    Args:
        provider: whose price it is, as far as the placements say.
        as_of: its day; None where its source has none.
        entered: day on which an undated price entered the catalog.
        age_days: since either.
    """

    label: str
    item: str
    provider: str
    as_of: date | None
    entered: date | None
    age_days: int
    freshness: Freshness


def list_refused_lines(
    bill: Bill,
    *,
    today: date,
    machine_days: int = MACHINE_AGE.refused_days,
    service_days: int = SERVICE_AGE.refused_days,
) -> tuple[LineItem, ...]:
    """Lines whose price is older than its kind may be, the oldest first."""
    ages = ((age_days(start_of_age(line), today=today), line) for line in bill.lines)
    old = [(age, line) for age, line in ages if age and age > (machine_days if is_machine(line) else service_days)]
    return tuple(line for _, line in sorted(old, key=lambda each: -each[0]))


def is_machine(line: LineItem) -> bool:
    return line.item not in SERVICES


def describe_start(price: DatedPrice) -> str:
    """Its day, as in "of 2026-07-20"; of an undated price the day since when the catalog has it."""
    return f"of {price.as_of}" if price.as_of else f"undated, in the catalog since {price.entered}"


def list_ages(bill: Bill, *, today: date, providers: Mapping[str, str]) -> tuple[LineAge, ...]:
    """How old the prices are that matter in a bill, the oldest first: a share of it, and whatever is past a limit.

    Args:
        providers: by the name of a placement; "" for the first.
    """
    least = bill.usd_per_month.expected * _SHARE_THAT_MATTERS
    found = [
        age
        for line in bill.lines
        if (age := _age_of(line, today=today, providers=providers)) is not None
        and (age.freshness is not Freshness.FRESH or (line.usd_per_month and line.usd_per_month.expected >= least))
    ]
    return tuple(sorted(found, key=lambda each: -each.age_days))


def _age_of(line: LineItem, *, today: date, providers: Mapping[str, str]) -> LineAge | None:
    age = age_days(start_of_age(line), today=today)
    if age is None:
        return None
    return LineAge(
        label=line.label,
        item=str(line.item),
        provider=providers.get(placement_of(line.key), providers[""]),
        as_of=line.as_of,
        entered=line.entered,
        age_days=age,
        freshness=judge_age(line, today=today, machine=is_machine(line)),
    )


def name_refresh(providers: Iterable[str]) -> str:
    """The command that brings newer prices of these providers."""
    names = sorted(set(providers))
    return " ".join(("atoll catalog refresh", *(f"--provider {name}" for name in names)))
