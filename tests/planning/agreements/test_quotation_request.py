"""Which items a request for quotation has: unknown, estimated and old ones, each once, and terms without a price."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pytest
from accepted import EXAMPLES, TODAY, accepted, catalog, checklist, quoted

from catalogs.ages import SERVICE_AGE
from catalogs.model import UNNAMED_MACHINE, Item
from cli.pages.documents.rendering import render_html, render_markdown
from planning.agreements.quotation.document import write_request
from planning.agreements.quotation.item_words import ITEM_WORDS
from planning.agreements.quotation.request import (
    QuotedOption,
    Reason,
    list_requested_items,
)
from planning.agreements.quotation.sheet import write_sheet
from planning.costs.bill import lock_line
from planning.spec.lock_content import State
from planning.values.money import Range

if TYPE_CHECKING:
    from planning.agreements.quotation.request import RequestedItem

OPEN: Final = {State.UNPRICED, State.ESTIMATED}
LATER: Final = TODAY + timedelta(days=SERVICE_AGE.refused_days + 365)


def option_of(example: str, *, at: int = 0) -> QuotedOption:
    chosen = quoted(example).options[at]
    return QuotedOption(
        stack=example,
        option=chosen.id,
        placements=chosen.placements,
        lines=tuple(map(lock_line, chosen.bill.lines)),
        contract_months=checklist(example).contract.months,
    )


def items_of(option: QuotedOption, *, today: date = TODAY) -> tuple[RequestedItem, ...]:
    return list_requested_items(option, catalog=catalog(), today=today)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_line_without_a_firm_price_is_asked_for_once_and_nothing_else_is(example: str) -> None:
    for at, chosen in enumerate(quoted(example).options):
        option = option_of(example, at=at)
        found = items_of(option)
        firm = [each for each in found if each.reason in (Reason.UNPRICED, Reason.ESTIMATED)]
        lines = [line for line in option.lines if line.state in OPEN]
        assert {each.item for each in firm} == {line.item for line in lines}, chosen.id
        keys = [(each.provider, each.region, each.item, each.purchase) for each in found]
        assert len(set(keys)) == len(keys)
        for item in {line.item for line in lines}:
            asked = sum((each.quantity.expected for each in firm if each.item == item), start=Decimal(0))
            assert asked == sum(
                (Range(*line.quantity).expected for line in lines if line.item == item), start=Decimal(0)
            )


@pytest.mark.parametrize("example", ["demo", "coreweave-pretrain", "spanning-two"])
def test_a_lock_asks_for_what_the_option_asked_for(example: str) -> None:
    lock = accepted(example, option=0)
    locked = replace(option_of(example), option=lock.option, lines=lock.bill)
    assert items_of(locked) == items_of(option_of(example))


def test_old_prices_are_asked_for_with_what_is_known() -> None:
    option = option_of("demo")
    old = [each for each in items_of(option, today=LATER) if each.reason is Reason.STALE]
    listed = {line.item for line in option.lines if line.state not in OPEN and line.source != "checklist"}
    assert {each.item for each in old} == listed
    assert all(each.known_source and each.known_usd is not None for each in old)
    page = render_markdown(
        write_request(option, items_of(option, today=LATER), catalog=catalog(), today=LATER, file="rfq-demo.csv")
    )
    assert "please confirm" in page


def test_machines_of_a_provider_that_publishes_a_maximum_only_are_asked_for_as_a_term() -> None:
    option = option_of("coreweave-pretrain")
    (found,) = (each for each in items_of(option) if each.reason is Reason.DISCOUNT)
    pool = next(pool for pool in option.placements[0].pools if pool.accelerators)
    assert (found.item, found.purchase, found.months) == (pool.machine, "reserved", 12)
    assert found.quantity.min == found.quantity.max == 730 * pool.max_nodes
    assert "60%" in found.note
    assert found.known_usd
    years = {each.months for each in items_of(replace(option, contract_months=36)) if each.reason is Reason.DISCOUNT}
    assert years == {36}
    odd = {each.months for each in items_of(replace(option, contract_months=7)) if each.reason is Reason.DISCOUNT}
    assert odd == {12}


def test_every_service_and_the_nodes_without_a_name_have_words_that_a_provider_knows() -> None:
    assert set(ITEM_WORDS) == {UNNAMED_MACHINE, *Item}


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-x", "@sum"])
def test_no_cell_of_the_sheet_is_taken_for_a_formula(name: str) -> None:
    option = option_of("coreweave-pretrain")
    odd = tuple(replace(each, uses=(name,), needs="", item=name) for each in items_of(option))
    for row in csv.reader(io.StringIO(write_sheet(odd))):
        assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_a_page_of_hostile_names_stays_a_page() -> None:
    option = option_of("coreweave-pretrain")
    odd = tuple(replace(each, uses=("<script>alert(1)</script> | x",)) for each in items_of(option))
    page = write_request(option, odd, catalog=catalog(), today=TODAY, file="rfq.csv")
    assert "<script>" not in render_html(page)
    assert "<script>" not in render_markdown(page).replace("\\<script\\>", "")
