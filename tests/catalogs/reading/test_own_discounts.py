"""Discounts of an own price book: on a provider, a family or an item, alone or on top, and rows that price nothing."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pytest
from small_catalog import FILES, add, own, usd

from catalogs.catalog import load
from catalogs.custom_prices.sheet import PriceBookError

if TYPE_CHECKING:
    from pathlib import Path

TODAY: Final = date(2026, 11, 23)
BOOK: Final = "provider,item,region,purchase,unit,usd,source,as_of,valid_until,on_top\n"


def write(root: Path, *rows: str) -> Path:
    path = root / "ours.csv"
    path.write_text(BOOK + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["reef,X1,*,*,,-25%,,,,"], "24"),
        (["reef,bi*,*,*,,-25%,,,,"], "24"),
        (["reef,b*,*,*,,-50%,,,,", "reef,bi*,*,*,,-25%,,,,"], "24"),
        (["reef,bi*,*,*,,-50%,,,,", "reef,X1,*,*,,-25%,,,,"], "24"),
        (["reef,X1,*,*,,-50%,,,,", "reef,big,*,*,,-25%,,,,"], "24"),
        (["reef,*,*,*,,-50%,,,,", "reef,X1,*,*,,-25%,,,,"], "24"),
    ],
)
def test_an_item_goes_before_its_family_its_first_letters_and_the_provider(
    root: Path, rows: list[str], expected: str
) -> None:
    assert usd(load(root=root, override=write(root, *rows))) == Decimal(expected)


def test_changes_on_top_apply_to_what_the_most_specific_row_leaves(root: Path) -> None:
    path = write(
        root,
        "reef,*,*,*,,-10%,EDP,,,yes",
        "reef,*,*,*,,-50%,MAP,,,yes",
        "reef,*,*,*,,-90%,,,,",
        "reef,big,*,*,,-25%,contract,,,no",
    )
    price = load(root=root, override=path).prices.one(provider="reef", item="big", region="east", purchase="on_demand")
    assert (price.usd, price.list_usd) == (Decimal("10.8"), Decimal(32))
    assert price.discounts == ("-25% (book:ours:5)", "-10% (book:ours:2)", "-50% (book:ours:3)")
    assert (price.source, price.as_of) == ("book:ours:5", date(2026, 7, 1))


def test_a_discount_keeps_the_doubts_about_the_list_price(root: Path) -> None:
    """What is never planned with, such as the spot price of one zone, stays so at 8% less."""
    catalog = load(root=root, override=write(root, "reef,*,*,*,,-8%,,,,"))
    spot = catalog.offer(provider="reef", machine="big", region="east", purchase="spot")
    assert spot.flags == ("undated", "own price", "thin spot: one zone")
    west = catalog.offer(provider="reef", machine="big", region="west", purchase="on_demand")
    assert west.flags == ("own price", "sources differ by 9%")
    agreed = load(root=root, override=write(root, "reef,big,*,on_demand,hour,20,,2026-11-01,,"))
    offer = agreed.offer(provider="reef", machine="big", region="west", purchase="on_demand")
    assert (offer.price.usd, offer.flags) == (20, ("own price",))


def test_no_discount_applies_to_a_price_of_ones_own(root: Path) -> None:
    path = write(root, "reef,*,*,*,,-10%,EDP,,,yes", "reef,big,*,on_demand,hour,30,,2026-11-01,,")
    catalog = load(root=root, override=path)
    assert (usd(catalog), usd(catalog, item="small")) == (Decimal(30), Decimal("0.18"))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["reef,*,*,*,,-10%,EDP,,,yes", "reef,*,*,*,,-20%,EDP,,,yes"], "stands in line 2"),
        (["reef,big,*,on_demand,hour,30,,2026-11-01,,yes"], "only a change such as -12% applies on top"),
        (["reef,big,*,on_demand,,-3%,,,,perhaps"], "on_top 'perhaps': write yes, or leave it empty"),
        (["reef,big,*,on_demand,,-3%,,,soon,"], "valid_until 'soon': write the day"),
        (["reef,big,*,on_demand,,-3%,,2026-11-03,2026-11-02,"], "valid_until 2026-11-02 is before as_of 2026-11-03"),
    ],
)
def test_a_row_that_contradicts_itself_or_another_is_refused(root: Path, rows: list[str], words: str) -> None:
    with pytest.raises(PriceBookError) as told:
        load(root=root, override=write(root, *rows))
    assert words in str(told.value)


def test_a_discount_of_a_term_without_a_price_applies_to_the_price_on_demand(root: Path) -> None:
    path = root / "terms.csv"
    path.write_text(FILES["terms.csv"] + "reserved,reef,reserved,12,unknown,up to 60%,list,unknown,list\n", "utf-8")
    override = write(root, "reef,X1,*,reserved,,-40%,quotation 7,2026-11-20,,", "reef,*,*,*,,-50%,EDP,,,yes")
    catalog = load(root=root, override=override)
    found = catalog.prices.one(provider="reef", item="big", region="west", purchase="reserved")
    assert (found.usd, found.list_usd, found.as_of) == (Decimal("9.9"), Decimal(33), date(2026, 8, 1))
    assert {(each.purchase, each.region) for each in catalog.prices.of_item(provider="reef", item="big")} == {
        (purchase, region) for purchase in ("on_demand", "reserved") for region in ("east", "west")
    } | {("spot", "east")}
    assert catalog.prices.find_tiers(provider="reef", item="small", region="east", purchase="reserved") == ()
    add(root, "reef,big,west,reserved,hour,30,0,list,2026-08-01")
    listed = load(root=root, override=override).prices
    assert listed.one(provider="reef", item="big", region="west", purchase="reserved").usd == Decimal(9)


def test_nodes_without_a_name_have_the_price_that_a_book_gives_them(root: Path) -> None:
    catalog = load(root=root, override=write(root, "reef,cpu-node,*,on_demand,month,146,,2026-11-01,,"))
    assert usd(catalog, item="cpu-node") == Decimal("0.2")
    assert all(each.item != "cpu-node" for offer in catalog.offers(accelerated=False) for each in (offer.price,))


def test_rows_without_a_price_and_rows_that_ended_are_told_and_price_nothing(root: Path) -> None:
    path = write(
        root,
        "reef,big,east,on_demand,hour,,,,,",
        "reef,big,east,spot,hour,9,,2026-11-01,2026-11-22,",
        "reef,nat_data,*,list,GB,0.1,,2026-11-01,2026-11-23,",
    )
    catalog = load(root=root, override=path, today=TODAY)
    assert catalog.own is not None
    assert list(catalog.own.skipped) == [
        (2, "no price is filled in: big of reef in east, on demand"),
        (3, "it ended on 2026-11-22: big of reef in east, spot"),
    ]
    assert (usd(catalog), usd(catalog, purchase="spot")) == (32, 10)
    assert catalog.own.ends == {"book:ours:4": date(2026, 11, 23)}
    assert catalog.own.labels == {"book:ours:4": (4, "nat_data of reef")}


def test_the_words_of_a_row_are_checked_before_it_is_filled_in(root: Path) -> None:
    with pytest.raises(PriceBookError, match="unknown item 'bigg'"):
        load(root=root, override=write(root, "reef,bigg,east,on_demand,hour,,,,,"))


def test_a_book_that_nobody_filled_in_changes_nothing(root: Path) -> None:
    catalog = load(root=root, override=write(root, "reef,big,east,on_demand,hour,,,,,"))
    assert usd(catalog) == 32


def test_a_dated_book_takes_prices_of_ones_own(root: Path) -> None:
    dated = root / "books" / "2025-01-28"
    dated.mkdir(parents=True)
    for name in ("machines.csv", "prices.csv"):
        (dated / name).write_text(FILES[f"reef/{name}"], encoding="utf-8")
    catalog = load("2025-01-28", root=root, override=own(root, "reef,*,*,*,,-50%,,,"))
    assert (catalog.prices.name, usd(catalog)) == ("2025-01-28", 16)
