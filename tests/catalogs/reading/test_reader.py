"""How the reader behaves on a small catalog, and what it says of bad rows."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

import pytest
from small_catalog import add, usd

from catalogs.catalog import load
from catalogs.model import AmbiguousPriceError, CatalogError, PurchaseKind, UnpricedError
from catalogs.validation import faults

if TYPE_CHECKING:
    from pathlib import Path

    from catalogs.catalog import Catalog


def test_a_price_is_dated_by_its_row_or_else_by_its_source(catalog: Catalog) -> None:
    east = catalog.prices.one(provider="reef", item="big", region="east", purchase="on_demand")
    west = catalog.prices.one(provider="reef", item="big", region="west", purchase="on_demand")
    assert (east.usd, east.as_of) == (Decimal(32), date(2026, 7, 1))
    assert west.as_of == date(2026, 8, 1)
    assert catalog.prices.newest == date(2026, 8, 1)


def test_tiers_come_in_ascending_order(catalog: Catalog) -> None:
    tiers = catalog.prices.tiers(provider="reef", item="internet_egress", region="east")
    assert [(tier.above, tier.usd) for tier in tiers] == [(0, Decimal("0.09")), (10240, Decimal("0.05"))]


def test_a_price_that_holds_everywhere_stands_in_for_a_missing_region(catalog: Catalog) -> None:
    assert usd(catalog, item="control_plane", region="west", purchase="list") == Decimal("0.1")


def test_a_regions_own_price_goes_before_the_one_that_holds_everywhere(root: Path) -> None:
    add(root, "reef,control_plane,west,list,hour,0.2,0,list,")
    assert usd(load(root=root), item="control_plane", region="west", purchase="list") == Decimal("0.2")


def test_a_missing_price_is_an_error_that_names_the_key_and_where_there_is_one(catalog: Catalog) -> None:
    with pytest.raises(UnpricedError, match=r"reef internet_egress in weast \(list\).*has it in east"):
        catalog.prices.tiers(provider="reef", item="internet_egress", region="weast")
    with pytest.raises(UnpricedError, match="has no list price of"):
        catalog.prices.tiers(provider="reef", item="nat_gateway", region="east")


def test_a_tiered_price_is_not_a_single_one(catalog: Catalog) -> None:
    with pytest.raises(AmbiguousPriceError, match="tiers"):
        catalog.prices.one(provider="reef", item="internet_egress", region="east")


def test_an_item_whose_name_starts_like_another_is_not_taken_for_it(root: Path) -> None:
    add(root, "reef,bigger,east,on_demand,hour,64,0,list,")
    assert usd(load(root=root)) == Decimal(32)


def test_offers_join_machine_price_term_and_flags(catalog: Catalog) -> None:
    offers = {(offer.region, offer.price.purchase): offer for offer in catalog.offers(accelerated=True)}
    assert set(offers) == {("east", "on_demand"), ("east", "spot"), ("west", "on_demand")}
    spot = offers["east", "spot"]
    assert spot.machine.accelerators == 8
    assert spot.term.kind is PurchaseKind.SPOT
    assert spot.term.note == "reef's own"
    assert spot.flags == ("undated", "thin spot: one zone")
    assert offers["west", "on_demand"].flags == ("sources differ by 9%",)


def test_cpu_offers_can_be_asked_for_one_place_only(catalog: Catalog) -> None:
    assert [offer.machine.name for offer in catalog.offers(accelerated=False, provider="reef", region="east")] == [
        "small"
    ]
    assert catalog.offers(accelerated=False, provider="reef", region="west") == ()
    assert catalog.offers(accelerated=False, provider="other") == ()
    assert catalog.offers(accelerated=True) is catalog.offers(accelerated=True)


def test_one_offer_by_key_and_zones(catalog: Catalog) -> None:
    offer = catalog.offer(provider="reef", machine="big", region="west", purchase="on_demand")
    assert offer.price.usd == Decimal(33)
    assert catalog.zones(provider="reef", machine="big", region="east") == ("e1", "e2")
    assert catalog.zones(provider="reef", machine="big", region="west") == ()
    with pytest.raises(CatalogError, match="no machine 'huge'"):
        catalog.offer(provider="reef", machine="huge", region="west", purchase="on_demand")


def test_the_digest_follows_every_byte(root: Path) -> None:
    before = load(root=root).prices.digest
    assert load(root=root).prices.digest == before
    add(root, "reef,nat_data,*,list,GB,0.01,0,list,")
    assert load(root=root).prices.digest != before


def test_an_unknown_book_names_the_known_ones(root: Path) -> None:
    with pytest.raises(CatalogError, match="no price book '1999': there are current"):
        load("1999", root=root)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("reef,big,east,on_demand,hour,31,0,list,", "stands in line 2"),
        ("reef,big,north,on_demand,hour,-1,0,list,", "'-1' is negative"),
        ("reef,big,north,on_demand,hour,many,0,list,", "'many' is not a number"),
        ("reef,big,north,on_demand,hour,,0,list,", "'' is not a number"),
        ("reef,big,north,on_demand,hour,nan,0,list,", "not a finite number"),
        ("reef,big,north,on_demand,hour,1,0,list", "8 columns"),
    ],
)
def test_a_bad_row_is_refused_with_file_and_line(root: Path, row: str, text: str) -> None:
    add(root, row)
    with pytest.raises(CatalogError) as told:
        load(root=root)
    assert f"{root}/reef/prices.csv:9: " in str(told.value)
    assert text in str(told.value)
    assert [line for line, _ in told.value.faults] == [9]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("reef,big,north,on_demand,hour,1,0,rumour,", "does not explain rumour"),
        ("reef,big,north,barter,hour,1,0,list,", "does not explain barter of reef"),
    ],
)
def test_words_that_no_file_explains_are_refused(root: Path, row: str, text: str) -> None:
    add(root, row)
    with pytest.raises(CatalogError, match=text):
        load(root=root)


def test_a_wrong_header_is_refused(root: Path) -> None:
    (root / "reef/prices.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(CatalogError, match=r"prices\.csv:1: the first line must be provider,item"):
        load(root=root)


def test_a_bad_machine_row_names_file_and_line(root: Path) -> None:
    path = root / "reef/machines.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("infiniband", "string"), encoding="utf-8")
    with pytest.raises(CatalogError, match=r"machines\.csv:2: .*string"):
        list(load(root=root).machines.values())


def test_the_full_check_finds_what_the_fast_look_does_not(root: Path) -> None:
    assert faults(root) == []
    add(
        root,
        "reef,big,north,on_demand,hour,1,0,list,",
        "reef,goodwill,east,list,hour,1,0,list,",
        "reef,nat_data,*,list,hour,1,0,list,",
        "reef,small,west,on_demand,hour,1,0,list,31.12.2026",
    )
    told = [str(fault) for fault in faults(root)]
    assert any("prices.csv:9: unknown region 'north' of reef" in text for text in told)
    assert any("prices.csv:10: unknown item 'goodwill' of reef" in text for text in told)
    assert any("prices.csv:11: nat_data is priced per GB" in text for text in told)
    assert any("prices.csv:12: as_of" in text for text in told)


def test_an_undated_price_says_when_it_entered_and_a_source_of_no_day_at_all_is_a_fault(root: Path) -> None:
    (spot,) = [each for each in load(root=root).prices.of_item(provider="reef", item="big") if each.source == "thin"]
    assert (spot.as_of, spot.entered, spot.undated) == (None, date(2026, 11, 21), True)
    path = root / "sources.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",2026-11-21", ","), encoding="utf-8")
    assert [str(fault).partition(": ")[2] for fault in faults(root)] == [
        "thin has no date: say in entered when its rows came in"
    ]


def test_undated_rows_of_a_region_give_way_to_dated_ones_that_hold_everywhere(root: Path) -> None:
    add(root, "reef,nat_data,*,list,GB,0.05,0,list,", "reef,nat_data,east,list,GB,0.01,0,thin,")
    ask = partial(load(root=root).prices.one, provider="reef", item="nat_data")
    assert (ask(region="east").usd, ask(region="west").usd) == (Decimal("0.05"), Decimal("0.05"))
    add(root, "reef,nat_data,west,list,GB,0.02,0,list,")
    assert load(root=root).prices.one(provider="reef", item="nat_data", region="west").usd == Decimal("0.02")
