"""What comes back from a request for quotation, whatever was done to it: a price book, or faults in words."""

from __future__ import annotations

import csv
import io
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_catalog import usd

from catalogs.catalog import load
from catalogs.custom_prices.sheet import BookFault, PriceBookError
from catalogs.custom_prices.units import convert_price, list_units
from catalogs.model import UNNAMED_MACHINE, Item
from catalogs.parsing import unit_of
from planning.agreements.quotation.request import Reason, RequestedItem
from planning.agreements.quotation.sheet import COLUMNS, write_sheet
from planning.values.money import Range

if TYPE_CHECKING:
    from pathlib import Path

DAY: Final = date(2026, 11, 20)
MACHINES: Final = {"big": 8, "small": 0, UNNAMED_MACHINE: 0}
# What people and spreadsheets put into a cell.
ODD: Final = st.one_of(
    st.sampled_from(
        ["", "0", "1", "-5%", "+5%", "5%", "=A1", "+A1", "1,234.50", "22,40", "$3", "n/a", "free", "nan", "inf", "1e9"]
    ),
    st.sampled_from(
        ["hour", "month", "GPU-hour", "GiB-month", "TB", "% of monthly bill", "list", "*", "yes", "unknown"]
    ),
    st.sampled_from(
        ["2026-11-20", "20.11.2026", "2026-02-30", "9999-99-99", "\u0662\u0660", "'", '"', "\n", ";", "a,b"]
    ),
    st.text(max_size=12),
)


def requested(item: str, region: str, amount: Decimal) -> RequestedItem:
    return RequestedItem(
        provider="reef",
        region=region,
        item=item,
        purchase="on_demand" if item in MACHINES else "list",
        unit=unit_of(item),
        months=12,
        quantity=Range(amount, amount + 1, amount * 3 + 1),
        reason=Reason.UNPRICED,
        needs="",
        uses=('=one, of; "several"',),
    )


ASKED: Final = st.builds(
    requested,
    st.sampled_from([*MACHINES, *(str(item) for item in Item)]),
    st.sampled_from(["east", "west"]),
    st.decimals(0, 10**6, places=3),
)
PRICES: Final = st.decimals("0.01", "9999", places=4)


def fill(text: str, rows: list[dict[str, str]], *, delimiter: str) -> str:
    found = [{**row, **its} for row, its in zip(csv.DictReader(io.StringIO(text)), rows, strict=True)]
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, delimiter=delimiter, lineterminator="\r\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(found)
    return "\ufeff" + file.getvalue()


@settings(
    derandomize=True, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    asked=st.lists(ASKED, min_size=1, max_size=8, unique_by=lambda each: (each.item, each.region)),
    delimiter=st.sampled_from(",;\t"),
    data=st.data(),
)
def test_every_item_that_is_asked_for_has_the_price_that_is_filled_in(
    root: Path, asked: list[RequestedItem], delimiter: str, data: st.DataObject
) -> None:
    answers: list[tuple[Decimal, str]] = []
    for each in asked:
        units = list_units(each.item, accelerators=MACHINES.get(each.item, 0))
        answers.append((data.draw(PRICES), data.draw(st.sampled_from(units))))
    rows = [{"usd": f"{price}", "unit": unit, "as_of": DAY.isoformat()} for price, unit in answers]
    path = root / "answer.csv"
    path.write_text(fill(write_sheet(asked), rows, delimiter=delimiter), encoding="utf-8", newline="")
    catalog = load(root=root, override=path, today=DAY)
    assert catalog.own is not None
    assert catalog.own.skipped == ()
    for each, (price, unit) in zip(asked, answers, strict=True):
        expected = convert_price(price, unit=unit, item=each.item, accelerators=MACHINES.get(each.item, 0))
        assert usd(catalog, item=each.item, region=each.region, purchase=each.purchase) == expected
        found = catalog.prices.one(provider="reef", item=each.item, region=each.region, purchase=each.purchase)
        assert (found.as_of, found.source.startswith("book:answer:")) == (DAY, True)


@settings(
    derandomize=True, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    asked=st.lists(ASKED, min_size=1, max_size=4, unique_by=lambda each: (each.item, each.region)),
    delimiter=st.sampled_from(",;\t"),
    data=st.data(),
)
def test_whatever_is_filled_in_is_a_book_or_faults_with_their_places(
    root: Path, asked: list[RequestedItem], delimiter: str, data: st.DataObject
) -> None:
    columns = st.sampled_from(COLUMNS)
    rows = [data.draw(st.dictionaries(columns, ODD, max_size=5)) for _ in asked]
    path = root / "answer.csv"
    text = fill(write_sheet(asked), rows, delimiter=delimiter)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    refused: tuple[BookFault, ...] = ()
    try:
        own = load(root=root, override=path, today=DAY)
    except PriceBookError as error:
        refused = error.places
        own = load(root=root)
    assert (own.own is None) == bool(refused)
    assert all(each.message and (each.line or "cannot be read" in each.message) for each in refused)
    every = (price for item in (*MACHINES, *Item) for price in own.prices.of_item(provider="reef", item=item))
    assert all(price.usd >= 0 for price in every)
    told = [number for number, _ in (*own.own.skipped, *own.own.labels.values())] if own.own else []
    assert len(set(told)) == len(told)


@settings(
    derandomize=True, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
)
def test_any_other_file_is_refused_in_words(root: Path, content: bytes) -> None:
    path = root / "answer.csv"
    path.write_bytes(content)
    with pytest.raises(PriceBookError) as told:
        load(root=root, override=path, today=DAY)
    assert told.value.places
