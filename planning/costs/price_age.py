"""Which lines of a bill have prices that are too old to be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from catalogs.staleness import MACHINE_AGE_LIMIT_DAYS, SERVICE_AGE_LIMIT_DAYS, age_days

if TYPE_CHECKING:
    from datetime import date

    from planning.costs.bill import Bill, LineItem

SERVICES: Final = frozenset({str(item) for item in Item})


def too_old(
    bill: Bill,
    *,
    today: date,
    machine_days: int = MACHINE_AGE_LIMIT_DAYS,
    service_days: int = SERVICE_AGE_LIMIT_DAYS,
) -> tuple[LineItem, ...]:
    """Lines whose price is older than its kind may be; an undated price is not too old, it is undated."""

    def past(line: LineItem) -> bool:
        age = age_days(line.as_of, today=today)
        return age is not None and age > (service_days if str(line.item) in SERVICES else machine_days)

    return tuple(line for line in bill.lines if past(line))
