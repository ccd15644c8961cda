"""The rows from which a price in another region may be estimated: dated list prices, none past its limit."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from catalogs.catalog import load
from catalogs.integrity import collect_words
from catalogs.model import OWN_PREFIX, Method, Source
from catalogs.prices import PriceBook

DATED = Source(id="page", text="a page", url="", as_of=date(2026, 9, 1), method=Method.LIST)
UNDATED = Source(id="hearsay", text="hearsay", url="", as_of=None, method=Method.LIST)


def book(*lines: str) -> PriceBook:
    rows = sorted(lines)
    sources = {each.id: each for each in (DATED, UNDATED)}
    return PriceBook(name="test", lines=rows, words=collect_words(rows), digest="", sources=sources, own=None)


def regions(*lines: str) -> list[str]:
    newest = "aws,m7i.large,us-east-1,on_demand,hour,0.1,0,page,2026-10-01"
    return [price.region for price in book(newest, *lines).list_prices(provider="aws", item="disk")]


@pytest.mark.parametrize(
    ("row", "counts"),
    [
        ("aws,disk,a,list,GB-month,0.1,0,page,", True),
        ("aws,disk,a,list,GB-month,0.1,0,hearsay,2026-08-01", True),
        ("aws,disk,a,list,GB-month,0.1,0,hearsay,", False),
        ("aws,disk,a,list,GB-month,0.1,0,page,unknown", False),
        ("aws,disk,a,list,GB-month,0.1,0,page,2019-01-01", False),
        (f"aws,disk,a,list,GB-month,0.1,0,{OWN_PREFIX}3,2026-08-01", False),
        ("aws,disk,a,spot,GB-month,0.1,0,page,2026-08-01", False),
        ("aws,disk_fast,a,list,GB-month,0.1,0,page,2026-08-01", False),
        ("gcp,disk,a,list,GB-month,0.1,0,page,2026-08-01", False),
    ],
)
def test_what_counts(row: str, counts: bool) -> None:
    assert regions(row) == (["a"] if counts else [])


def test_a_limit_is_judged_on_the_day_of_the_newest_price_and_not_by_the_clock() -> None:
    old = "aws,disk,a,list,GB-month,0.1,0,page,2022-01-01"
    assert regions(old) == []
    assert [each.region for each in book(old).list_prices(provider="aws", item="disk")] == ["a"]


def test_a_customers_own_terms_reach_no_other_region(tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text(
        "provider,item,region,purchase,unit,usd,above,source,as_of\naws,disk,*,list,,-50%,,contract,2026-10-01\n"
    )
    plain, own = load(), load(override=mine)
    key = {"provider": "aws", "item": "disk"}
    assert own.prices.tiers(**key, region="us-east-1")[0].usd < plain.prices.tiers(**key, region="us-east-1")[0].usd
    assert own.prices.list_prices(**key) == plain.prices.list_prices(**key)


def test_places_are_those_of_every_row() -> None:
    rows = book("aws,disk,a,list,GB-month,0.1,0,page,", "gcp,disk,*,list,GB-month,0.1,0,page,")
    assert rows.places() == {("aws", "a"), ("gcp", "*")}
