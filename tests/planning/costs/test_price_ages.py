"""How old a price may be: by kind, from its own day or from the day on which it entered the catalog."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from catalogs.ages import MACHINE_AGE, SERVICE_AGE, Freshness, age_days, judge_age
from catalogs.model import OWN_PREFIX, Item, Price
from planning.costs.bill import Bill, BillGroup, Charge
from planning.costs.price_ages import describe_start, list_ages, list_refused_lines, name_refresh
from planning.costs.pricing import price
from planning.values.money import Range

DAY = date(2026, 1, 1)


def a_price(
    *, as_of: date | None = DAY, entered: date | None = None, usd: str = "1", source: str = "a list", item: str = "big"
) -> Price:
    return Price(
        provider="reef",
        item=item,
        region="east",
        purchase="on_demand",
        unit="hour",
        usd=Decimal(usd),
        above=Decimal(0),
        source=source,
        as_of=as_of,
        entered=entered,
    )


class OnePrice:
    def __init__(self, sold: Price) -> None:
        self._sold = sold

    def tiers(self, **_: str) -> tuple[Price, ...]:
        return (self._sold,)


def a_bill(*sold: tuple[str, Price]) -> Bill:
    charges = ((Charge(key, key, BillGroup.COMPUTE, each.item, Range.exactly(1)), OnePrice(each)) for key, each in sold)
    return Bill(
        tuple(line for each, at in charges for line in price(each, catalog_prices=at, provider="reef", region="east"))
    )


@pytest.mark.parametrize(
    ("today", "machine", "service"),
    [
        (date(2026, 1, 1), Freshness.FRESH, Freshness.FRESH),
        (date(2026, 3, 2), Freshness.FRESH, Freshness.FRESH),
        (date(2026, 3, 3), Freshness.STALE, Freshness.FRESH),
        (date(2026, 6, 30), Freshness.STALE, Freshness.FRESH),
        (date(2026, 7, 1), Freshness.REFUSED, Freshness.FRESH),
        (date(2027, 2, 5), Freshness.REFUSED, Freshness.FRESH),
        (date(2025, 12, 1), Freshness.FRESH, Freshness.FRESH),
    ],
)
@pytest.mark.parametrize(("as_of", "entered"), [(DAY, None), (None, DAY)])
def test_a_price_ages_by_its_kind_from_its_day_or_from_its_entry(
    today: date, machine: Freshness, service: Freshness, as_of: date | None, entered: date | None
) -> None:
    sold = a_price(as_of=as_of, entered=entered)
    assert (judge_age(sold, today=today, machine=True), judge_age(sold, today=today, machine=False)) == (
        machine,
        service,
    )


def test_limits_rise_and_a_service_outlives_a_machine() -> None:
    assert (MACHINE_AGE.stale_days, MACHINE_AGE.refused_days, SERVICE_AGE.stale_days) == (60, 180, 400)
    assert SERVICE_AGE.stale_days <= SERVICE_AGE.refused_days


def test_age_is_counted_in_days_and_a_coming_day_is_no_age() -> None:
    assert age_days(DAY, today=date(2026, 1, 31)) == 30
    assert age_days(None, today=date(2026, 1, 31)) is None
    assert age_days(date(2026, 2, 1), today=date(2026, 1, 31)) == 0


def test_the_customers_own_price_needs_no_day_and_is_none_that_others_come_before() -> None:
    own = a_price(as_of=None, source=f"{OWN_PREFIX}3")
    assert judge_age(own, today=date(2036, 1, 1), machine=True) is Freshness.FRESH
    assert not own.undated
    assert a_price(as_of=None, entered=DAY).undated


def test_lines_past_their_limit_are_listed_the_oldest_first() -> None:
    bill = a_bill(
        ("pool/a/machine", a_price(as_of=date(2026, 4, 1))),
        ("pool/b/machine", a_price(as_of=None, entered=date(2026, 3, 1))),
        ("pool/c/machine", a_price(as_of=date(2026, 10, 1))),
        ("network/nat", a_price(item=Item.NAT_GATEWAY, as_of=date(2026, 1, 1))),
    )
    today = date(2026, 11, 1)
    assert [line.key for line in list_refused_lines(bill, today=today)] == ["pool/b/machine", "pool/a/machine"]
    assert [line.key for line in list_refused_lines(bill, today=today, machine_days=230)] == ["pool/b/machine"]
    assert len(list_refused_lines(bill, today=today, machine_days=1, service_days=1)) == 4


def test_a_price_matters_by_its_share_of_the_bill_or_by_being_past_a_limit() -> None:
    bill = a_bill(
        ("pool/a/machine", a_price(usd="1000", as_of=date(2026, 10, 1))),
        ("network/nat", a_price(usd="1", item=Item.NAT_GATEWAY, as_of=date(2026, 1, 1))),
        ("logs/ingest", a_price(usd="1", item=Item.LOG_INGEST, as_of=date(2025, 1, 1))),
    )
    ages = list_ages(bill, today=date(2026, 11, 1), providers={"": "reef"})
    assert [(age.item, age.provider, age.age_days, age.freshness) for age in ages] == [
        ("log_ingest", "reef", 669, Freshness.STALE),
        ("big", "reef", 31, Freshness.FRESH),
    ]


def test_a_line_of_another_placement_has_the_price_of_its_provider() -> None:
    bill = a_bill(("far/pool/a/machine", a_price()))
    (age,) = list_ages(bill, today=DAY, providers={"": "reef", "far": "shoal"})
    assert age.provider == "shoal"


def test_words_say_the_day_or_since_when_the_catalog_has_it_and_what_mends_it() -> None:
    assert describe_start(a_price()) == "of 2026-01-01"
    assert describe_start(a_price(as_of=None, entered=DAY)) == "undated, in the catalog since 2026-01-01"
    assert name_refresh(["shoal", "reef", "shoal"]) == "atoll catalog refresh --provider reef --provider shoal"
