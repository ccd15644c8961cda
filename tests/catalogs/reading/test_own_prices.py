"""The customer's own price book: prices, discounts, and what is said of bad rows."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from small_catalog import own, usd

from catalogs.catalog import load
from catalogs.custom_prices.sheet import PriceBookError
from catalogs.model import CatalogError

if TYPE_CHECKING:
    from pathlib import Path


def test_an_own_price_replaces_the_list_price_of_its_key_and_of_no_other(root: Path) -> None:
    catalog = load(root=root, override=own(root, "reef,big,east,on_demand,hour,20,0,contract 7,2026-11-01"))
    price = catalog.prices.one(provider="reef", item="big", region="east", purchase="on_demand")
    assert (price.usd, price.as_of) == (Decimal(20), date(2026, 11, 1))
    assert price.source == "book:own:2"
    assert catalog.sources[price.source].text == "price book own, line 2, contract 7"
    assert usd(catalog, region="west") == Decimal(33)


def test_an_own_price_may_add_what_the_list_does_not_have(root: Path) -> None:
    catalog = load(root=root, override=own(root, "reef,nat_data,east,list,GB,0.01,,contract 7,2026-11-01"))
    assert usd(catalog, item="nat_data", purchase="list") == Decimal("0.01")


def test_an_own_flat_price_replaces_every_tier_unless_it_names_one(root: Path) -> None:
    flat = load(root=root, override=own(root, "reef,internet_egress,east,list,GB,0.02,,contract 7,2026-11-01"))
    assert usd(flat, item="internet_egress", purchase="list") == Decimal("0.02")
    one = load(root=root, override=own(root, "reef,internet_egress,east,list,GB,0.02,10240,contract 7,2026-11-01"))
    tiers = one.prices.tiers(provider="reef", item="internet_egress", region="east")
    assert [tier.usd for tier in tiers] == [Decimal("0.09"), Decimal("0.02")]


def test_a_discount_is_exact_and_keeps_the_age_of_the_list_price(root: Path) -> None:
    catalog = load(root=root, override=own(root, "reef,*,*,*,,-12%,,contract 7,"))
    price = catalog.prices.one(provider="reef", item="big", region="east", purchase="on_demand")
    assert (price.usd, price.as_of) == (Decimal("28.16"), date(2026, 7, 1))
    assert [tier.usd for tier in catalog.prices.tiers(provider="reef", item="internet_egress", region="east")] == [
        Decimal("0.0792"),
        Decimal("0.0440"),
    ]


def test_the_most_specific_row_wins(root: Path) -> None:
    catalog = load(
        root=root,
        override=own(
            root,
            "reef,*,*,*,,-10%,,contract 7,",
            "reef,*,east,*,,-20%,,contract 7,",
            "reef,*,*,on_demand,,-30%,,contract 7,",
            "reef,big,*,*,,-50%,,contract 7,",
        ),
    )
    assert usd(catalog) == Decimal(16)
    assert usd(catalog, item="small") == Decimal("0.14")
    assert usd(catalog, item="control_plane", region="west", purchase="list") == Decimal("0.09")


def test_a_price_for_every_region_overrides_each_of_them(root: Path) -> None:
    catalog = load(root=root, override=own(root, "reef,big,*,on_demand,hour,25,,contract 7,2026-11-01"))
    assert (usd(catalog), usd(catalog, region="west")) == (25, 25)


def test_a_dearer_price_is_a_change_too(root: Path) -> None:
    catalog = load(root=root, override=own(root, "reef,big,*,*,,+25%,,contract 7,"))
    assert usd(catalog) == Decimal(40)


def test_an_offer_says_that_its_price_is_the_customers_own(root: Path) -> None:
    catalog = load(root=root, override=own(root, "reef,big,east,on_demand,hour,20,0,contract 7,2026-11-01"))
    offer = catalog.offer(provider="reef", machine="big", region="east", purchase="on_demand")
    assert offer.flags == ("own price",)


def test_the_digest_covers_the_own_book(root: Path) -> None:
    cheap = load(root=root, override=own(root, "reef,*,*,*,,-12%,,contract 7,")).prices.digest
    assert cheap != load(root=root, override=own(root, "reef,*,*,*,,-13%,,contract 7,")).prices.digest


def test_every_fault_of_the_own_book_is_told_at_once_with_its_place(root: Path) -> None:
    path = own(
        root,
        "shoal,big,east,on_demand,hour,20,0,contract 7,2026-11-01",
        "reef,huge,east,on_demand,hour,20,0,contract 7,2026-11-01",
        "reef,big,east,barter,hour,20,0,contract 7,2026-11-01",
        "reef,big,east,on_demand,hour,-3,0,contract 7,2026-11-01",
        "reef,big,east,on_demand,hour,-120%,0,contract 7,",
        "reef,big,east,spot,,20,0,,yesterday",
        "reef,big,west,on_demand,hour,20,0,contract 7,2026-11-01",
        "reef,big,west,on_demand,hour,21,0,contract 7,2026-11-01",
        "reef,big",
        "reef,big,,spot,,20,0,,",
    )
    with pytest.raises(PriceBookError) as told:
        load(root=root, override=path)
    assert [(each.line, each.column, each.message[:24]) for each in told.value.places] == [
        (2, 1, "unknown provider 'shoal'"),
        (3, 6, "unknown item 'huge' of r"),
        (4, 15, "unknown purchase 'barter"),
        (5, 30, "'-3' is negative"),
        (6, 30, "usd -120% takes off more"),
        (7, 20, "unit is missing: big is "),
        (7, 27, "as_of 'yesterday': write"),
        (9, 1, "key reef,big,west,on_dem"),
        (10, 0, "2 columns; the first lin"),
        (11, 10, "region is missing: name "),
        (11, 16, "unit is missing: big is "),
        (11, 23, "as_of is missing: a pric"),
    ]
    assert f"{path}:2: unknown provider 'shoal': known are reef" in str(told.value)


def test_a_book_that_is_missing_or_has_another_header_is_one_fault(root: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load(root=root, override=root / "none.csv")
    workbook = root / "own.xlsx"
    workbook.write_bytes(b"PK\x03\x04\x14\x00\x06\x00\x08\x00\xff")
    with pytest.raises(CatalogError, match="save the sheet as CSV in UTF-8"):
        load(root=root, override=workbook)
    path = root / "own.csv"
    path.write_text("item,usd\n", encoding="utf-8")
    with pytest.raises(CatalogError, match="the first line must name the columns: provider,item"):
        load(root=root, override=path)
