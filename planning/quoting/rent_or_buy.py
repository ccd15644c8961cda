"""Rent and buy month by month: what an option's accelerators have cost in all by then, either way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.costs.tco import BULK_DISCOUNT, MONTHS_PER_YEAR, NO_DISCOUNT
from planning.quoting.price_performance import BULK_SERVERS, SERVERS

if TYPE_CHECKING:
    from decimal import Decimal

    from planning.costs.tco import ServerCosts
    from planning.quoting.quote import Buying


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """USD in all by the end of each month, from month 0, in which servers are bought and nothing is rented yet."""

    rented: tuple[Decimal, ...]
    owned: tuple[Decimal, ...]


def spent(buying: Buying) -> Spent | None:
    """Both ways as long as the servers are kept; None where nobody knows what they cost.

    The servers are sold in the last month, as in `planning.costs.tco.break_even_month`.
    """
    costs = costs_of(buying)
    if costs is None:
        return None
    discount = BULK_DISCOUNT if buying.servers >= BULK_SERVERS else NO_DISCOUNT
    months = range(costs.years * MONTHS_PER_YEAR + 1)
    bought = buying.servers * costs.price * (1 - discount)
    owned = [bought + costs.running(buying.servers) * month / MONTHS_PER_YEAR for month in months]
    owned[-1] -= buying.servers * costs.resale
    return Spent(
        rented=tuple(buying.rent_usd_per_year * month / MONTHS_PER_YEAR for month in months), owned=tuple(owned)
    )


def costs_of(buying: Buying) -> ServerCosts | None:
    """The servers that were reckoned with."""
    return next((each for each in SERVERS.values() if each.source == buying.source), None)
