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
        ("reef,big,east,on_demand,fortnight,20,0,c,2026-11-01", "unit 'fortnight': big is priced per 'hour'"),
        (
            "reef,big,east,on_demand,quarter,20,0,c,2026-11-01",
            "one of hour, month, year, GPU-hour, GPU-month, GPU-year",
        ),
        ("reef,control_plane,*,list,GPU-hour,73,0,c,2026-11-01", "control_plane is priced per 'hour'"),
        ("reef,big,east,on_demand,year,0.000000000001,0,c,2026-11-01", "is 0 per hour: out of bounds"),
        ("reef,big,east,on_demand,GPU-hour,9999999,0,c,2026-11-01", "79999992 per hour: out of bounds"),
        ('reef,big,east,on_demand,hour,"1,234.50",0,c,2026-11-01', "thousands separators: write 1234.50"),
        ('reef,big,east,on_demand,hour,"1.234,50",0,c,2026-11-01', "thousands separators: write 1234.50"),
        ("reef,big,east,on_demand,hour,1 234.50,0,c,2026-11-01", "thousands separators: write 1234.50"),
        ('reef,big,east,on_demand,hour,"22,40",0,c,2026-11-01', "a decimal comma: write 22.40"),
        ("reef,big,east,on_demand,hour,$22.40,0,c,2026-11-01", "the number alone; every price is in USD"),
        ("reef,big,east,on_demand,hour,22.40 EUR,0,c,2026-11-01", "the number alone; every price is in USD"),
        ("reef,big,east,on_demand,hour,on request,0,c,2026-11-01", "leave it empty where there is no price"),
        ("reef,big,east,on_demand,hour,included,0,c,2026-11-01", "write 0 for a service that costs nothing"),
        ("reef,big,east,on_demand,hour,=A1*8,0,c,2026-11-01", "save the values of the sheet, not its formulas"),
        ("reef,big,east,on_demand,hour,+A1,0,c,2026-11-01", "save the values of the sheet, not its formulas"),
        ("reef,big,east,on_demand,hour,#REF!,0,c,2026-11-01", "save the values of the sheet, not its formulas"),
        ("reef,big,east,on_demand,hour,20,0,=B2,2026-11-01", "source is a formula"),
        ("reef,big,east,on_demand,hour,20,0,c,25.11.2026", "write the day as 2026-10-24; format the column as text"),
        ("reef,big,east,on_demand,hour,20,0,c,", "as_of is missing: a price is of a day"),
        ("reef,big,east,on_demand,hour,20,0,c,unknown", "as_of is missing: a price is of a day"),
        ("reef,X1,east,on_demand,hour,20,0,c,2026-11-01", "X1 stands for several items: a price needs one"),
        ("reef,bi*,east,on_demand,hour,20,0,c,2026-11-01", "bi* stands for several items: a price needs one"),
        ("reef,Z*,*,*,,-5%,,c,", "unknown item 'Z*' of reef"),
        ("reef,internet_egress,east,list,GB-month,0.01,0,c,2026-11-01", "internet_egress is priced per 'GB'"),
        ("reef,support_24x7,*,list,month,500,,c,2026-11-01", "per 'USD of monthly bill'"),
        ("reef,*,*,*,hour,-5%,,c,", "the row also covers prices per GB"),
        ("reef,big,eastt,on_demand,hour,20,0,c,2026-11-01", "unknown region of reef 'eastt'; did you mean \"east\"?"),
        (
            "reef,big,north-9,on_demand,hour,20,0,c,2026-11-01",
            "adds no region; add its facts to catalogs/regions.csv first",
        ),
        (
            "reef,huge,east,on_demand,hour,20,0,c,2026-11-01",
            "adds no machine; add its facts to catalogs/reef/machines.csv first",
        ),
        ("reef,big,eastt,*,,-5%,,c,", 'did you mean "east"?'),
        ("reff,big,east,on_demand,hour,20,0,c,", "unknown provider 'reff'; did you mean \"reef\"?"),
        (
            "reef,bigg,east,on_demand,hour,20,0,c,2026-11-01",
            'neither a machine nor a service word; did you mean "big"?',
        ),
        ("reef,big,east,spott,hour,20,0,c,2026-11-01", "unknown purchase 'spott'; did you mean \"spot\"?"),
        ("reef,nat_data,east,on_demand,GB,0.1,0,c,2026-11-01", "purchase 'on_demand' of a service"),
        ("reef,big,east,list,hour,20,0,c,2026-11-01", "purchase 'list' of a machine"),
        ("reef,big,east,on_demand,hour,0,0,c,2026-11-01", "would make machines free"),
        ("reef,big,*,*,,-100%,,c,", "would make machines free"),
        ("reef,big,east,on_demand,hour,nan,0,c,2026-11-01", "not a finite number"),
        ("reef,big,east,on_demand,hour,Infinity,0,c,2026-11-01", "not a finite number"),
        ("reef,big,east,on_demand,hour,1e30,0,c,2026-11-01", "write a plain number"),
        ("reef,big,east,on_demand,hour,2_0,0,c,2026-11-01", "write a plain number"),
        ("reef,big,east,on_demand,hour,٢٠,0,c,2026-11-01", "write a plain number"),
        ("reef,big,east,on_demand,hour,99999999999,0,c,2026-11-01", "write a plain number below 10,000,000"),
        ("reef,big,*,*,,12%,,c,", "has no sign"),
        ("reef,big,*,*,,-0%,,c,", "changes nothing"),
        ("reef,big,*,*,,-101%,,c,", "more than the whole price"),
        ("reef,big,*,*,,+1000%,,c,", "more than ten times"),
        ("reef,big,*,*,,-1e1%,,c,", "no change of a price"),
        ("reef,big,east,on_demand,hour,20,5,c,2026-11-01", "a machine has one price for every hour"),
        ("reef,nat_data,east,list,GB,0.1,10,c,2026-11-01", "no row prices what lies below"),
        ("reef,nat_data,*,list,GB,0.1,10,c,2026-11-01", "no row prices what lies below"),
        ("reef,*,*,*,hour,20,,c,2026-11-01", "a price of every item is per nothing"),
        ("reef,small,west,*,,-5%,,c,", "changes nothing: the list has no price of small at reef in west"),
        ("reef,small,*,spot,,-5%,,c,", "changes nothing: the list has no price of small at reef (spot)"),
        ("reef,nat_data,*,list,,-5%,,c,", "the list has no price of nat_data at reef"),
        ("reef,internet_egress,*,list,,-5%,77,c,", "from 77 on"),
        ("reef,big,east,on_demand,hour,20,0,c,2026-11-24", "is after 2026-11-23"),
        ("reef,big,east,on_demand,hour,20,0,c,20261101", "write the day as"),
        ("reef,big,east,on_demand,hour,20,0,c,2026-02-30", "2:"),
        ("reef,big,east,on_demand,hour,20,0,a\x1b[2Jb,2026-11-01", "U+001B is not text"),
        ("reef,big,east,on_demand,hour,20,0,a\u202eb,2026-11-01", "source: no control characters"),
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
        (HEADER.replace("unit", "price"), "there is no column 'price'"),
        (HEADER.replace("as_of", "date"), "there is no column 'date'"),
        (HEADER.replace("usd", "usdd"), 'did you mean "usd"?'),
        (HEADER.replace("above", "usd") + PRICE, "the column 'usd' stands twice"),
        (f"{HEADER.strip()},\n{PRICE},a remark\n", "a cell below no column name"),
        (f"{HEADER.strip()},currency\n{PRICE},EUR\n", "every price is in USD"),
        (HEADER.replace("unit,", ""), "missing: unit"),
        (PRICE, "the first line must name the columns: provider,item"),
    ],
)
def test_a_file_that_is_no_price_book_says_what_it_lacks(root: Path, text: str, words: str) -> None:
    path = root / "own.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogError) as told:
        load(root=root, override=path)
    assert words in str(told.value)


@pytest.mark.parametrize(
    "text",
    [
        HEADER + PRICE,
        (HEADER + PRICE).replace(",", ";"),
        (HEADER + PRICE).replace(",", "\t"),
        "sep=;\n" + (HEADER + PRICE).replace(",", ";"),
        HEADER + PRICE + "\n,,,,,,,,\n,,,,,,,,",
        HEADER.replace("provider,item", "item,provider") + PRICE.replace("reef,big", "big,reef"),
        HEADER.replace(",above", "").title() + PRICE.replace(",0,contract", ",contract"),
        f'{HEADER.strip()},what,,\n{PRICE},"two, big machines",,',
        f"{HEADER.strip()},valid_until\n{PRICE}",
        f"{HEADER}{ANYWHERE}\n\ufeff{HEADER}{PRICE}",
    ],
)
def test_what_a_spreadsheet_writes_is_read(root: Path, text: str) -> None:
    path = root / "own.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() + b"\r\n\r\n")
    assert usd(load(root=root, override=path)) == Decimal(20)


@pytest.mark.parametrize(
    ("row", "item", "purchase", "expected"),
    [
        ("reef,big,east,on_demand,month,14600,,c,2026-11-01", "big", "on_demand", "20"),
        ("reef,big,east,on_demand,year,175200,,c,2026-11-01", "big", "on_demand", "20"),
        ("reef,big,east,on_demand,GPU-hour,2.5,,c,2026-11-01", "big", "on_demand", "20"),
        ("reef,big,east,on_demand,GPU-month,1825,,c,2026-11-01", "big", "on_demand", "20"),
        ("reef,control_plane,east,list,month,73,,c,2026-11-01", "control_plane", "list", "0.1"),
        ("reef,disk,east,list,TB-month,50,,c,2026-11-01", "disk", "list", "0.05"),
        ("reef,disk,east,list,GiB-month,0.1073741824,,c,2026-11-01", "disk", "list", "0.1"),
        ("reef,disk,east,list,TiB-month,109.9511627776,,c,2026-11-01", "disk", "list", "0.1"),
        ("reef,disk,east,list,GB-hour,0.001,,c,2026-11-01", "disk", "list", "0.73"),
        ("reef,nat_data,east,list,TB,45,,c,2026-11-01", "nat_data", "list", "0.045"),
        ("reef,object_put,east,list,1M requests,5,,c,2026-11-01", "object_put", "list", "0.005"),
        ("reef,disk_throughput,east,list,GiBps-month,40.96,,c,2026-11-01", "disk_throughput", "list", "0.038146972656"),
        ("reef,support_24x7,east,list,% of monthly bill,10,,c,2026-11-01", "support_24x7", "list", "0.1"),
    ],
)
def test_a_price_in_another_unit_is_converted(root: Path, row: str, item: str, purchase: str, expected: str) -> None:
    catalog = load(root=root, override=own(root, row))
    assert usd(catalog, item=item, purchase=purchase) == Decimal(expected)
    cells = row.split(",")
    said = f"{cells[5]} USD per {cells[4]}"
    assert said in catalog.sources["book:own:2"].text


def test_a_whole_discount_of_a_service_makes_it_free_and_not_the_list_price(root: Path) -> None:
    catalog = load(root=root, override=own(root, "reef,internet_egress,*,list,,-100%,,contract 7,"))
    assert [tier.usd for tier in catalog.prices.tiers(provider="reef", item="internet_egress", region="east")] == [0, 0]


def test_a_price_of_every_region_holds_where_the_list_has_none(root: Path) -> None:
    catalog = load(
        root=root,
        override=own(
            root,
            ANYWHERE,
            "reef,big,*,spot,hour,9,,contract 7,2026-11-01",
            "reef,small,*,spot,hour,0.1,0,contract 7,2026-11-01",
        ),
    )
    assert usd(catalog, item="nat_data", region="west", purchase="list") == Decimal("0.01")
    assert (usd(catalog, purchase="spot"), usd(catalog, region="west", purchase="spot")) == (9, 9)
    assert usd(catalog, item="small", purchase="spot") == Decimal("0.1")
    assert {offer.region for offer in catalog.offers(accelerated=True)} == {"east", "west"}


def test_a_row_says_its_line_and_a_change_the_day_of_its_contract(root: Path) -> None:
    catalog = load(root=root, override=own(root, "", PRICE, CHANGE))
    sources = {each.id: each.text for each in catalog.sources.values() if each.id.startswith("book:")}
    assert sources == {
        "book:own:3": "price book own, line 3, contract 7",
        "book:own:4": "price book own, line 4, contract 7, 2026-11-01",
    }


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
        "usd": not word,  # not filled in yet, and reported
    }
    assert found != prices(root, row) or before[column] == word or same.get(column, False)


def test_every_list_price_is_per_what_its_item_is_counted_in() -> None:
    for path in (*ROOT.glob("*/prices.csv"), *ROOT.glob("books/*/prices.csv")):
        found = {tuple(line.split(",")[1:5:3]) for line in path.read_text(encoding="utf-8").splitlines()[1:]}
        assert [(item, unit) for item, unit in found if unit != unit_of(item)] == [], path
