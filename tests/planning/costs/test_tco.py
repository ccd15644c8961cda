from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.costs import tco

TEXT_AVERAGE_OF_SIX = 372_000


def test_one_server_costs_what_the_text_says() -> None:
    assert tco.buy(tco.A100_SERVER, servers=1) == (268_000, 118_000, 73_000)
    assert tco.usd_per_year(tco.A100_SERVER, servers=1) == 153_000


def test_renting_one_is_83_thousand_a_year_cheaper() -> None:
    assert tco.usd_per_year(tco.A100_SERVER, servers=1) - tco.A100_RENT_PER_YEAR == 83_000


def test_six_servers_cost_what_the_text_says_within_half_a_percent() -> None:
    years = tco.buy(tco.A100_SERVER, servers=6, bulk_discount=tco.BULK_DISCOUNT)
    average = tco.usd_per_year(tco.A100_SERVER, servers=6, bulk_discount=tco.BULK_DISCOUNT)
    assert years[:2] == (973_000, 208_000)
    assert abs(average - TEXT_AVERAGE_OF_SIX) / TEXT_AVERAGE_OF_SIX < Decimal("0.005")
    assert average < 6 * tco.A100_RENT_PER_YEAR == 420_000


@pytest.mark.parametrize(("discount", "servers"), [(tco.NO_DISCOUNT, 6), (tco.BULK_DISCOUNT, 5)])
def test_from_five_or_six_servers_on_buying_is_cheaper(discount: Decimal, servers: int) -> None:
    for fewer, is_cheaper in ((servers - 1, False), (servers, True)):
        owning = tco.usd_per_year(tco.A100_SERVER, servers=fewer, bulk_discount=discount)
        assert (owning < fewer * tco.A100_RENT_PER_YEAR) is is_cheaper


def test_the_first_month_in_which_buying_has_cost_less() -> None:
    month = tco.break_even_month(
        rent_per_month=Decimal(100),
        purchase=Decimal(1000),
        running_per_month=Decimal(50),
        resale=Decimal(0),
        months=36,
    )
    assert month == 21


def test_a_resale_may_decide_in_the_last_month() -> None:
    terms = {"rent_per_month": Decimal(100), "purchase": Decimal(2000), "running_per_month": Decimal(50), "months": 36}
    assert tco.break_even_month(resale=Decimal(100), **terms) is None
    assert tco.break_even_month(resale=Decimal(300), **terms) == 36


def test_six_servers_break_even_within_the_three_years() -> None:
    rent = 6 * tco.A100_RENT_PER_YEAR / 12
    month = tco.break_even_month_of(tco.A100_SERVER, servers=6, rent_per_month=rent, bulk_discount=tco.BULK_DISCOUNT)
    assert month == 36
    assert tco.break_even_month_of(tco.A100_SERVER, servers=1, rent_per_month=rent / 6) is None


@pytest.mark.parametrize(("servers", "discount"), [(0, "0"), (1, "1"), (1, "-0.1")])
def test_impossible_purchases_are_refused(servers: int, discount: str) -> None:
    with pytest.raises(ValueError, match="at least one server"):
        tco.buy(tco.A100_SERVER, servers=servers, bulk_discount=Decimal(discount))


@given(st.integers(1, 200), st.decimals(0, "0.9", places=2))
def test_each_server_costs_less_the_more_there_are(servers: int, discount: Decimal) -> None:
    each = tco.usd_per_year(tco.A100_SERVER, servers=servers, bulk_discount=discount) / servers
    more = tco.usd_per_year(tco.A100_SERVER, servers=servers + 1, bulk_discount=discount) / (servers + 1)
    assert more < each


def test_a_single_year_holds_purchase_and_resale() -> None:
    costs = replace(tco.A100_SERVER, years=1)
    assert tco.buy(costs, servers=1) == (223_000,)
