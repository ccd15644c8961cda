"""Own price books: no cell without an effect, and no row that is passed over in silence."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_catalog import HEADER, own, usd

from catalogs.catalog import ROOT, load
from catalogs.model import CatalogError, Item
from catalogs.parsing import COLUMNS, unit_of

if TYPE_CHECKING:
    from pathlib import Path

TODAY: Final = date(2026, 11, 23)
PRICE: Final = "reef,big,east,on_demand,hour,20,0,contract 7,2026-11-01"
CHANGE: Final = "reef,big,*,on_demand,hour,-12%,0,contract 7,2026-11-01"
TIER: Final = "reef,internet_egress,east,list,GB,0.03,10240,contract 7,2026-11-01"
ANYWHERE: Final = "reef,nat_data,*,list,GB,0.01,,contract 7,2026-11-01"
UNITS: Final = sorted({unit_of(item) for item in Item} | {"month", "fortnight", "second", "GB-hour", "Hour", "EUR", ""})
WORDS: Final = st.one_of(
    st.sampled_from(
        ["*", "", "eats", "big", "small", "east", "west", "spot", "list", "on_demand", "disk", "nan", "inf"]
    ),
    st.sampled_from([*UNITS, "0", "1", "19", "1e9", "1_0", "٢", "-1%", "12%", "+5%", "-100%", "+901%", "0.5", "10240"]),
    st.sampled_from(["2026-11-24", "20261101", "2026-10-01", "unknown", "\x1b[2J", "contract 8"]),
)


def refused(root: Path, *rows: str) -> str:
    with pytest.raises(CatalogError) as told:
        load(root=root, override=own(root, *rows), today=TODAY)
    return str(told.value)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("reef,big,east,on_demand,fortnight,20,0,c,", "unit 'fortnight': big is priced per 'hour'"),
        ("reef,big,east,on_demand,month,20,0,c,", "convert the price to that unit"),
        ("reef,control_plane,*,list,month,73,0,c,", "control_plane is priced per 'hour'"),
        ("reef,internet_egress,east,list,GB-month,0.01,0,c,", "internet_egress is priced per 'GB'"),
        ("reef,support_24x7,*,list,month,500,,c,", "per 'USD of monthly bill'"),
        ("reef,*,*,*,hour,-5%,,c,", "the row also covers prices per GB"),
        ("reef,big,eastt,on_demand,hour,20,0,c,", "unknown region of reef 'eastt'; did you mean \"east\"?"),
        ("reef,big,north-9,on_demand,hour,20,0,c,", "adds no region; add its facts to catalogs/regions.csv first"),
        ("reef,huge,east,on_demand,hour,20,0,c,", "adds no machine; add its facts to catalogs/reef/machines.csv first"),
        ("reef,big,eastt,*,,-5%,,c,", 'did you mean "east"?'),
        ("reff,big,east,on_demand,hour,20,0,c,", "unknown provider 'reff'; did you mean \"reef\"?"),
        ("reef,bigg,east,on_demand,hour,20,0,c,", 'neither a machine nor a service word; did you mean "big"?'),
        ("reef,big,east,spott,hour,20,0,c,", "unknown purchase 'spott'; did you mean \"spot\"?"),
        ("reef,nat_data,east,on_demand,GB,0.1,0,c,", "purchase 'on_demand' of a service"),
        ("reef,big,east,list,hour,20,0,c,", "purchase 'list' of a machine"),
        ("reef,big,east,on_demand,hour,0,0,c,", "would make machines free"),
        ("reef,big,*,*,,-100%,,c,", "would make machines free"),
        ("reef,big,east,on_demand,hour,nan,0,c,", "not a finite number"),
        ("reef,big,east,on_demand,hour,Infinity,0,c,", "not a finite number"),
        ("reef,big,east,on_demand,hour,1e30,0,c,", "write a plain number"),
        ("reef,big,east,on_demand,hour,2_0,0,c,", "write a plain number"),
        ("reef,big,east,on_demand,hour,٢٠,0,c,", "write a plain number"),
        ("reef,big,east,on_demand,hour,99999999999,0,c,", "write a plain number below 10,000,000"),
        ("reef,big,*,*,,12%,,c,", "has no sign"),
        ("reef,big,*,*,,-0%,,c,", "changes nothing"),
        ("reef,big,*,*,,-101%,,c,", "more than the whole price"),
        ("reef,big,*,*,,+1000%,,c,", "more than ten times"),
        ("reef,big,*,*,,-1e1%,,c,", "no change of a price"),
        ("reef,big,east,on_demand,hour,20,5,c,", "a machine has one price for every hour"),
        ("reef,nat_data,east,list,GB,0.1,10,c,", "no row prices what lies below"),
        ("reef,nat_data,*,list,GB,0.1,10,c,", "no row prices what lies below"),
        ("reef,*,*,*,hour,20,,c,", "a price of every item is per nothing"),
        ("reef,small,west,*,,-5%,,c,", "changes nothing: the list has no price of small at reef in west"),
        ("reef,small,*,spot,,-5%,,c,", "changes nothing: the list has no price of small at reef (spot)"),
        ("reef,nat_data,*,list,,-5%,,c,", "the list has no price of nat_data at reef"),
        ("reef,internet_egress,*,list,,-5%,77,c,", "from 77 on"),
        ("reef,big,east,on_demand,hour,20,0,c,2026-11-24", "is after 2026-11-23"),
        ("reef,big,east,on_demand,hour,20,0,c,20261101", "write the day as"),
        ("reef,big,east,on_demand,hour,20,0,c,2026-02-30", "2:"),
        ("reef,big,east,on_demand,hour,20,0,a\x1b[2Jb,", "U+001B is not text"),
        ("reef,big,east,on_demand,hour,20,0,a\u202eb,", "source: no control characters"),
        ('reef,big,east,on_demand,hour,20,0,"open,', "not CSV"),
        ("reef,big,east,on_demand,hour,20,0,c,,EUR", "10 columns"),
    ],
)
def test_a_row_that_would_mislead_is_refused_with_its_line(root: Path, row: str, words: str) -> None:
    told = refused(root, row)
    assert words in told
    assert "own.csv:2: " in told


def test_a_key_in_another_spelling_is_the_same_key(root: Path) -> None:
    assert "stands in line 2" in refused(root, PRICE, PRICE.replace(",0,contract", ",0.0,contract"))
    assert "stands in line 2" in refused(root, PRICE, PRICE.replace(",0,contract", ",,contract"))
    assert "stands in line 2" in refused(root, ANYWHERE, ANYWHERE.replace(",,contract", ",0,contract"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        (HEADER, "no row below the header"),
        (HEADER.replace(",", ";") + PRICE.replace(",", ";"), "separated by ';' here"),
        (HEADER.replace(",", "\t"), "separated by '\\t' here"),
        (f"{HEADER.strip()},currency\n{PRICE},EUR\n", "every price is in USD"),
        (HEADER.replace("unit,", ""), "missing: unit"),
        (HEADER.replace("provider,item", "item,provider"), "the first line must be provider,item"),
        (PRICE, "the first line must be provider,item"),
    ],
)
def test_a_file_that_is_no_price_book_says_what_it_lacks(root: Path, text: str, words: str) -> None:
    path = root / "own.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogError) as told:
        load(root=root, override=path)
    assert words in str(told.value)


def test_what_a_spreadsheet_writes_is_read(root: Path) -> None:
    path = root / "own.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (HEADER + PRICE).replace("\n", "\r\n").encode() + b"\r\n\r\n")
    assert usd(load(root=root, override=path)) == Decimal(20)


def test_a_whole_discount_of_a_service_makes_it_free_and_not_the_list_price(root: Path) -> None:
    catalog = load(root=root, override=own(root, "reef,internet_egress,*,list,,-100%,,contract 7,"))
    assert [tier.usd for tier in catalog.prices.tiers(provider="reef", item="internet_egress", region="east")] == [0, 0]


def test_a_price_of_every_region_holds_where_the_list_has_none(root: Path) -> None:
    catalog = load(
        root=root,
        override=own(root, ANYWHERE, "reef,big,*,spot,hour,9,,contract 7,", "reef,small,*,spot,hour,0.1,0,contract 7,"),
    )
    assert usd(catalog, item="nat_data", region="west", purchase="list") == Decimal("0.01")
    assert (usd(catalog, purchase="spot"), usd(catalog, region="west", purchase="spot")) == (9, 9)
    assert usd(catalog, item="small", purchase="spot") == Decimal("0.1")
    assert {offer.region for offer in catalog.offers(accelerated=True)} == {"east", "west"}


def test_a_row_says_its_line_and_a_change_the_day_of_its_contract(root: Path) -> None:
    catalog = load(root=root, override=own(root, "", PRICE, CHANGE))
    sources = {each.id: each.text for each in catalog.sources.values() if each.id.startswith("own-")}
    assert sources == {"own-3": "contract 7", "own-4": "contract 7, 2026-11-01"}


def prices(root: Path, *rows: str) -> list[str]:
    """All that is priced with a book, in words: what any command could read of it."""
    catalog = load(root=root, override=own(root, *rows), today=TODAY)
    keys = {(pur, place) for pur, _, place in catalog.prices.words.purchases}
    found = [
        price
        for item in ("big", "small", *Item)
        for price in catalog.prices.of_item(provider="reef", item=item)
        if (price.purchase, price.region) in keys
    ]
    return [f"{each} {catalog.sources[each.source].text}" for each in found]


@settings(
    derandomize=True, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(row=st.sampled_from([PRICE, CHANGE, TIER, ANYWHERE]), column=st.sampled_from(COLUMNS), word=WORDS)
def test_every_cell_changes_what_is_priced_or_is_refused(root: Path, row: str, column: str, word: str) -> None:
    before: dict[str, str] = dict(zip(COLUMNS, row.split(","), strict=True))
    after = {**before, column: word}
    try:
        found = prices(root, ",".join(after.values()))
    except CatalogError:
        return
    same = {
        "unit": row == CHANGE and not word,  # a change need not say what it is per
        "region": row in (TIER, CHANGE) and word == "*",  # sold in one region
        "purchase": row in (TIER, ANYWHERE) and word == "*",  # a service is bought in one way
        "above": {before["above"], word} <= {"", "0"},  # one tier: every tier is the first
        "as_of": {before["as_of"], word} <= {"", "unknown"},
    }
    assert found != prices(root, row) or before[column] == word or same.get(column, False)


def test_every_list_price_is_per_what_its_item_is_counted_in() -> None:
    for path in (*ROOT.glob("*/prices.csv"), *ROOT.glob("books/*/prices.csv")):
        found = {tuple(line.split(",")[1:5:3]) for line in path.read_text(encoding="utf-8").splitlines()[1:]}
        assert [(item, unit) for item, unit in found if unit != unit_of(item)] == [], path
