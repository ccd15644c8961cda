"""What a region gives an answer for: priced, estimated, incomplete or nothing, for a few reference checklists.

Every place with accelerators on sale is quoted by the same search as a customer's checklist, narrowed to it. What it
would recommend there is judged line by line.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pydantic import with_config
from typing_extensions import TypedDict

from planning.checklist.model.vocabulary import CloudName
from planning.costs.json_shapes import CLOSED, RangeForm, cents_form
from planning.costs.price_ages import list_refused_lines
from planning.quoting.quote_builder import quote
from planning.spec.lock_content import State
from planning.values.errors import NothingFitsError
from planning.values.json_format import SCHEMA_VERSION, fill_form
from planning.values.money import CENT, ZERO, Range, round_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date
    from decimal import Decimal

    from planning.checklist.model.checklist import Checklist
    from planning.costs.bill import Bill, LineItem
    from planning.quoting.candidates.market import Market, Place

_COUNT: Final = re.compile(r" \(\d+\)(?:, |$)")  # behind each reason, of which the first excludes most
PLACE: Final = "place"  # the summary over all kinds, beside the kinds


class Coverage(StrEnum):
    """How much of a cluster's bill is known at a place, best first."""

    PRICED = "priced"
    ESTIMATED = "estimated"
    INCOMPLETE = "incomplete"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenItem:
    """An item without a price that may be planned with.

    Args:
        bounded: whether something bounds what it can come to, so that a verdict need not wait for it.
        reason: why it has no price.
    """

    item: str
    bounded: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceCoverage:
    """What one reference checklist gets at one place.

    Args:
        kind: of the reference checklist.
        option: what is recommended there; "" where nothing is on sale.
        verdict: under a ceiling that no cluster reaches, so that only what is unknown keeps it open.
        usd_per_month: of what is priced and estimated.
        estimated: items whose price is an estimate.
        width_percent: from the least to the most that the estimates come to, as a share of the expected month.
        open_items: what has no price.
        reason: why nothing is on sale.
    """

    provider: str
    region: str
    kind: str
    state: Coverage
    option: str = ""
    verdict: str = ""
    usd_per_month: Range | None = None
    estimated: tuple[str, ...] = ()
    width_percent: Decimal = ZERO
    open_items: tuple[OpenItem, ...] = ()
    reason: str = ""

    @property
    def is_decided(self) -> bool:
        return self.verdict not in ("", "undetermined")


def list_places(market: Market, *, providers: Iterable[str] = ()) -> list[Place]:
    """Provider and region of everything that has a price for an accelerator, in their order."""
    wanted = frozenset(providers)
    found = {(stock.machine.provider, region) for stock in market.stocks for region in stock.regions}
    return sorted(place for place in found if not wanted or place[0] in wanted)


def judge_place(checklist: Checklist, place: Place, *, kind: str, market: Market, today: date) -> PlaceCoverage:
    """What the search finds for a reference checklist that may be at this place only."""
    provider, region = place
    where = checklist.where.model_copy(update={"wanted": (CloudName(provider),), "regions": (region,)})
    narrowed = checklist.model_copy(update={"where": where})
    try:
        found = quote(narrowed, checklist_digest="", stack=f"coverage-{kind}", market=market, today=today).recommended
    except NothingFitsError as error:
        reason = _COUNT.split(error.hint.removeprefix("what excludes most: "))[0]
        return PlaceCoverage(provider=provider, region=region, kind=kind, state=Coverage.NOTHING, reason=reason)
    open_items = tuple(_list_open(found.bill, today=today))
    estimated = tuple(dict.fromkeys(str(line.item) for line in found.bill.estimated))
    return PlaceCoverage(
        provider=provider,
        region=region,
        kind=kind,
        state=Coverage.INCOMPLETE if open_items else Coverage.ESTIMATED if estimated else Coverage.PRICED,
        option=found.id,
        verdict=found.judgement.verdict.value,
        usd_per_month=found.bill.usd_per_month,
        estimated=estimated,
        width_percent=_measure_width(found.bill),
        open_items=open_items,
    )


def _list_open(bill: Bill, *, today: date) -> Iterator[OpenItem]:
    """Items without a price, and those whose price is too old to plan with, each once."""
    refused = {line.key for line in list_refused_lines(bill, today=today)}
    found: dict[str, OpenItem] = {}
    for line in bill.lines:
        if line.state is State.UNPRICED:
            bounded = line.at_most_usd_per_month is not None
            found.setdefault(str(line.item), OpenItem(item=str(line.item), bounded=bounded, reason=line.note))
        elif line.key in refused:
            found.setdefault(str(line.item), OpenItem(item=str(line.item), bounded=True, reason="its price is too old"))
    yield from found.values()


def _measure_width(bill: Bill) -> Decimal:
    total = bill.usd_per_month.expected
    usd = sum((_width_of(line) for line in bill.estimated), start=ZERO)
    return round_to(usd / total * 100, CENT) if total else ZERO


def _width_of(line: LineItem) -> Decimal:
    prices = line.usd_per_unit_range
    return ZERO if prices is None else (prices.max - prices.min) * line.quantity.expected


def summarize(cells: Iterable[PlaceCoverage]) -> Mapping[str, Counter[Coverage]]:
    """How many places have each state: by kind, and as a whole, which is the least of what is on sale there."""
    found: dict[str, Counter[Coverage]] = {}
    places: dict[Place, list[Coverage]] = {}
    for each in cells:
        found.setdefault(each.kind, Counter())[each.state] += 1
        places.setdefault((each.provider, each.region), []).append(each.state)
    return {**found, PLACE: Counter(map(join_states, places.values()))}


def join_states(states: Iterable[Coverage]) -> Coverage:
    """The state of a place for several kinds: the least known of those that can be had there."""
    order = list(Coverage)
    on_sale = [each for each in states if each is not Coverage.NOTHING]
    return max(on_sale, key=order.index, default=Coverage.NOTHING)


@with_config(CLOSED)
class OpenItemForm(TypedDict):
    """An item without a price that may be planned with."""

    item: str
    bounded: bool
    """Whether something bounds it, so that the verdict need not wait for it."""
    reason: str


@with_config(CLOSED)
class PlaceCoverageForm(TypedDict):
    """What one reference checklist gets at one place."""

    provider: str
    region: str
    kind: str
    """Of the reference checklist."""
    state: str
    """priced, estimated, incomplete or nothing."""
    option: str
    verdict: str
    """Under a ceiling that no cluster reaches: what is unknown alone keeps it open."""
    usd_per_month: RangeForm | None
    estimated: list[str]
    width_percent: str
    """From the least to the most that the estimates come to, as a share of the expected month."""
    open_items: list[OpenItemForm]
    reason: str
    """Why nothing is on sale."""


@with_config(CLOSED)
class StateCountForm(TypedDict):
    """How many places have each state."""

    priced: int
    estimated: int
    incomplete: int
    nothing: int


@with_config(CLOSED)
class CoverageForm(TypedDict):
    """`atoll catalog coverage --json`."""

    schema_version: int
    prices: str
    today: str
    places: int
    counts: dict[str, StateCountForm]
    """By kind; "place" counts each place once, by the least known of what is on sale there."""
    cells: list[PlaceCoverageForm]


def coverage_form(cells: Iterable[PlaceCoverage], *, prices: str, today: date) -> CoverageForm:
    """`atoll catalog coverage --json`."""
    every = tuple(cells)
    return {
        "schema_version": SCHEMA_VERSION,
        "prices": prices,
        "today": today.isoformat(),
        "places": len({(each.provider, each.region) for each in every}),
        "counts": {
            kind: {
                "priced": counts[Coverage.PRICED],
                "estimated": counts[Coverage.ESTIMATED],
                "incomplete": counts[Coverage.INCOMPLETE],
                "nothing": counts[Coverage.NOTHING],
            }
            for kind, counts in summarize(every).items()
        },
        "cells": [
            fill_form(
                PlaceCoverageForm,
                each,
                usd_per_month=each.usd_per_month and cents_form(each.usd_per_month),
                estimated=list(each.estimated),
                open_items=[fill_form(OpenItemForm, item) for item in each.open_items],
            )
            for each in every
        ],
    }
