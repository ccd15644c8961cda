"""Prices that are too old are not believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import Field

from catalogs.prices import MACHINE_AGE_LIMIT_DAYS, SERVICE_AGE_LIMIT_DAYS, age_days
from planning.costs.pricing import list_stale_lines
from planning.values.verdict import Verdict
from policies.breach import Breach, Settings, Severity
from policies.rule import OLD_PRICES, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.stack_context import StackContext

_NAMED: Final = 3


class PriceAge(Settings):
    """How old prices may be."""

    machine_days: int = Field(default=MACHINE_AGE_LIMIT_DAYS, ge=1)
    """Days since the price of a machine was true."""
    service_days: int = Field(default=SERVICE_AGE_LIMIT_DAYS, ge=1)
    """Days since any other price was true."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    limits = subject.law.setting(PriceAge)
    old = list_stale_lines(
        subject.bill, today=subject.today, machine_days=limits.machine_days, service_days=limits.service_days
    )
    if not old:
        return
    oldest_first = sorted(old, key=lambda line: age_days(line.as_of, today=subject.today) or 0, reverse=True)
    named = [
        f"{line.item} is {age_days(line.as_of, today=subject.today)} days old ({line.as_of})"
        for line in oldest_first[:_NAMED]
    ]
    more = f", and {len(old) - _NAMED} more" if len(old) > _NAMED else ""
    yield Breach(
        verdict=Verdict.OVER,
        given=f"the price of {', of '.join(named)}{more}",
        limit=f"a machine's price may be {limits.machine_days} days old, any other {limits.service_days}",
        fix="Take a newer Atoll, whose price list is newer, or give the prices that you pay (--price-book FILE)",
    )


RULE = Rule(
    name="price-age",
    title="Age of prices",
    demand="Prices are no older than their kind allows; a price without a date is not too old, it is undated.",
    why="A verdict reckoned with last year's prices says nothing about this month's bill.",
    remedy="Refresh the price list, or give the prices that you pay with --price-book.",
    severity=Severity.HIGH,
    judge=_breaches,
    settings=PriceAge,
    exit_code=OLD_PRICES,
)
