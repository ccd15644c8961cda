"""What a place is said to give an answer for, over a small market."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from small import LAB, TODAY, SmallCatalog, checklist, machine, market, price, services

from catalogs.catalog import CURRENT
from catalogs.model import Item, Price
from planning.quoting.coverage import (
    PLACE,
    Coverage,
    PlaceCoverage,
    coverage_form,
    join_states,
    judge_place,
    list_places,
    summarize,
)

MACHINES = (machine("big"), machine("cpu", gpu=None), machine("far", provider="nebius"))
ROWS = (
    price("aws", "big", "us-east-1", "60"),
    price("aws", "cpu", "us-east-1", "0.4"),
    price("aws", "cpu", "eu-west-1", "0.4"),
    *services("aws"),
)
NOTEBOOKS = checklist(LAB, engineers={"count": 2, "ides": ["vscode"]}, ceiling={"usd_per_month": "10000000"})


def judged(*rows: Price, region: str = "us-east-1") -> PlaceCoverage:
    small = market(SmallCatalog(MACHINES, rows))
    small.catalog.prices.name = CURRENT
    return judge_place(NOTEBOOKS, ("aws", region), kind="notebooks", market=small, today=TODAY)


def test_every_place_with_an_accelerator_on_sale_is_looked_at_and_no_other() -> None:
    small = market(SmallCatalog(MACHINES, (*ROWS, price("nebius", "far", "eu-north1", "30"))))
    assert list_places(small) == [("aws", "us-east-1"), ("nebius", "eu-north1")]
    assert list_places(small, providers=["nebius"]) == [("nebius", "eu-north1")]


def test_a_place_where_every_line_has_a_price_is_fully_priced() -> None:
    found = judged(*ROWS)
    assert (found.state, found.verdict, found.open_items) == (Coverage.PRICED, "within", ())
    assert found.usd_per_month is not None


@pytest.mark.parametrize("item", [Item.DISK, Item.CONTROL_PLANE])
def test_an_item_without_a_price_is_named_and_the_verdict_is_open(item: Item) -> None:
    found = judged(*(row for row in ROWS if row.item != item))
    assert (found.state, found.is_decided) == (Coverage.INCOMPLETE, False)
    assert [(each.item, each.bounded) for each in found.open_items] == [(item, False)]
    assert found.open_items[0].reason


def test_a_price_past_its_limit_is_an_open_item() -> None:
    old = TODAY - timedelta(days=2000)
    found = judged(*(replace(row, as_of=old) if row.item == Item.DISK else row for row in ROWS))
    assert [(each.item, each.reason) for each in found.open_items] == [("disk", "its price is too old")]


def test_where_nothing_is_on_sale_the_reason_is_said() -> None:
    found = judged(*ROWS, region="eu-west-1")
    assert (found.state, found.option, found.verdict, found.is_decided) == (Coverage.NOTHING, "", "", False)
    assert found.reason


@pytest.mark.parametrize(
    ("states", "whole"),
    [
        ((Coverage.PRICED, Coverage.PRICED), Coverage.PRICED),
        ((Coverage.PRICED, Coverage.ESTIMATED), Coverage.ESTIMATED),
        ((Coverage.INCOMPLETE, Coverage.ESTIMATED), Coverage.INCOMPLETE),
        ((Coverage.NOTHING, Coverage.PRICED), Coverage.PRICED),
        ((Coverage.NOTHING, Coverage.NOTHING), Coverage.NOTHING),
    ],
)
def test_a_place_is_as_well_known_as_the_least_known_of_what_it_sells(
    states: tuple[Coverage, ...], whole: Coverage
) -> None:
    assert join_states(states) is whole
    cells = [
        PlaceCoverage(provider="aws", region="us-east-1", kind=str(at), state=each) for at, each in enumerate(states)
    ]
    assert summarize(cells)[PLACE] == {whole: 1}
    assert coverage_form(cells, prices="current", today=TODAY)["counts"][PLACE][whole.value] == 1
