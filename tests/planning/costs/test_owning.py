"""Renting and buying month by month, against the month that the quote names."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.costs import tco
from planning.quoting.price_performance import BULK_SERVERS, SERVERS, compare_ownership, costs_of
from planning.quoting.quote import Buying

FAMILY = st.sampled_from(sorted(SERVERS))


def buying(family: str, servers: int, rent_per_month: Decimal) -> Buying:
    costs = SERVERS[family]
    discount = tco.BULK_DISCOUNT if servers >= BULK_SERVERS else tco.NO_DISCOUNT
    return Buying(
        servers=servers,
        usd_per_year=tco.usd_per_year(costs, servers=servers, bulk_discount=discount),
        rent_usd_per_year=rent_per_month * 12,
        break_even_month=tco.break_even_month_of(
            costs, servers=servers, rent_per_month=rent_per_month, bulk_discount=discount
        ),
        source=costs.source,
    )


@given(FAMILY, st.integers(1, 40), st.integers(0, 4_000_000))
def test_the_lines_cross_in_the_month_that_is_named(family: str, servers: int, rent: int) -> None:
    bought = buying(family, servers, Decimal(rent))
    found = compare_ownership(bought)
    assert found is not None
    assert len(found.owned) == len(found.rented) == SERVERS[family].years * 12 + 1
    crossed = next((at for at in range(1, len(found.owned)) if found.owned[at] < found.rented[at]), None)
    assert crossed == bought.break_even_month


@given(FAMILY, st.integers(1, 40), st.integers(0, 4_000_000))
def test_the_last_month_is_the_average_year_times_the_years(family: str, servers: int, rent: int) -> None:
    bought = buying(family, servers, Decimal(rent))
    found = compare_ownership(bought)
    assert found is not None
    years = SERVERS[family].years
    assert round(found.owned[-1] - bought.usd_per_year * years, 6) == 0
    assert found.rented[-1] == bought.rent_usd_per_year * years
    assert found.rented[0] == 0


def test_two_servers_of_eight_a100_by_hand() -> None:
    found = compare_ownership(buying("A100", 2, Decimal(20_000)))
    assert found is not None
    assert found.owned[0] == 300_000
    assert found.owned[12] == 300_000 + 2 * 18_000 + 100_000
    assert found.owned[36] == 300_000 + 3 * 136_000 - 90_000
    assert found.rented[36] == 720_000


@pytest.mark.parametrize("source", ["", "an article"])
def test_servers_that_nobody_priced_are_not_reckoned_with(source: str) -> None:
    unknown = Buying(
        servers=1, usd_per_year=Decimal(1), rent_usd_per_year=Decimal(1), break_even_month=None, source=source
    )
    assert costs_of(unknown) is None
    assert compare_ownership(unknown) is None
