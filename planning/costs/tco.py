"""Rent or buy: what owning servers costs year by year, and from which number or month on it is cheaper.

Follows the reckoning of Ntropy, "How We Reduced our Infrastructure Costs by 8x without Sacrificing Performance"
(March 2022). Its yearly totals for six servers carry a resale of 65 instead of 62 thousand
USD in the last year, so its average of 372 thousand is 373 here.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

MONTHS_PER_YEAR: Final = 12
NO_DISCOUNT: Final = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCosts:
    """What one server of our own costs, in USD; the people on call are shared by all servers.

    Args:
        price: list price.
        resale: what it fetches in the last year.
        colocation: rack, bandwidth and power, a year.
        failures: parts that break, a year.
        on_call: people, a year, for any number of servers.
        years: that it is kept.
        source: who says so.
    """

    price: Decimal
    resale: Decimal
    colocation: Decimal
    failures: Decimal
    on_call: Decimal
    years: int
    source: str

    def compute_yearly_cost(self, servers: int) -> Decimal:
        """USD a year to keep `servers` running."""
        return servers * (self.colocation + self.failures) + self.on_call


A100_SERVER: Final = ServerCosts(
    price=Decimal(150_000),
    resale=Decimal(45_000),
    colocation=Decimal(3_000),
    failures=Decimal(15_000),
    on_call=Decimal(100_000),
    years=3,
    source="Ntropy, How We Reduced our Infrastructure Costs by 8x (March 2022): one server of 8 A100",
)
# Bekman, ML Engineering Open Book, "The AI Battlefield Engineering": an H100 costs about 30 thousand USD, without the
# server around it. Resale of 30%, rack and people as Ntropy, one broken accelerator every two years.
H100_SERVER: Final = ServerCosts(
    price=Decimal(240_000),
    resale=Decimal(72_000),
    colocation=Decimal(3_000),
    failures=Decimal(15_000),
    on_call=Decimal(100_000),
    years=3,
    source="Bekman, ML Engineering Open Book: 30 thousand USD an H100, the accelerators alone, so a floor; other "
    "costs: Ntropy (March 2022)",
)
A100_RENT_PER_YEAR: Final = Decimal(70_000)  # Ntropy: 8 A100 at GCP
BULK_DISCOUNT: Final = Decimal("0.15")  # Ntropy: up to about 15%


def buy(costs: ServerCosts, *, servers: int, bulk_discount: Decimal = NO_DISCOUNT) -> tuple[Decimal, ...]:
    """USD of each year of owning `servers`: bought in the first, sold in the last (which may turn out negative).

    Raises:
        ValueError: no servers, or a discount outside [0, 1).
    """
    if servers < 1 or not 0 <= bulk_discount < 1:
        raise ValueError(f"at least one server and a discount within [0, 1): {servers}, {bulk_discount}")
    years = [costs.compute_yearly_cost(servers)] * costs.years
    years[0] += servers * costs.price * (1 - bulk_discount)
    years[-1] -= servers * costs.resale
    return tuple(years)


def usd_per_year(costs: ServerCosts, *, servers: int, bulk_discount: Decimal = NO_DISCOUNT) -> Decimal:
    """Average USD a year of owning `servers`."""
    return sum(buy(costs, servers=servers, bulk_discount=bulk_discount), start=Decimal(0)) / costs.years


def break_even_month(
    *, rent_per_month: Decimal, purchase: Decimal, running_per_month: Decimal, resale: Decimal, months: int
) -> int | None:
    """The first month, counted from 1, in which buying has cost less in all than renting; None: not within `months`.

    All in USD. The resale counts in the last month only, when the servers are sold.
    """
    for month in range(1, months + 1):
        sold = resale if month == months else 0
        if purchase + running_per_month * month - sold < rent_per_month * month:
            return month
    return None


def break_even_month_of(
    costs: ServerCosts, *, servers: int, rent_per_month: Decimal, bulk_discount: Decimal = NO_DISCOUNT
) -> int | None:
    """The same for `servers` of our own against `rent_per_month` USD for all of them."""
    return break_even_month(
        rent_per_month=rent_per_month,
        purchase=servers * costs.price * (1 - bulk_discount),
        running_per_month=costs.compute_yearly_cost(servers) / MONTHS_PER_YEAR,
        resale=servers * costs.resale,
        months=costs.years * MONTHS_PER_YEAR,
    )
