"""An undated price is planned with only where no dated one satisfies the checklist, and never hides an old one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest
from small import TODAY, TRAINING, SmallCatalog, checklist, machine, market, price, services

from catalogs.catalog import CURRENT
from catalogs.model import Price
from planning.quoting.quote import Quote
from planning.quoting.quote_builder import quote
from planning.quoting.search.candidate_set import OLD, UNDATED
from planning.values.errors import NothingFitsError

MACHINES = (
    machine("big"),
    machine("cpu", gpu=None),
    machine("other-cpu", gpu=None),
    machine("far", provider="nebius"),
    machine("far-cpu", provider="nebius", gpu=None),
)
DATED = price("aws", "big", "us-east-1", "60")
BESIDE = (
    price("aws", "cpu", "us-east-1", "0.4"),
    price("nebius", "far-cpu", "eu-north1", "0.5"),
    *services("aws"),
    *services("nebius"),
)


def without_day(each: Price, *, entered: date = TODAY) -> Price:
    return replace(each, as_of=None, entered=entered)


UNDATED_GPU = without_day(price("nebius", "far", "eu-north1", "30"))


def quoted(*rows: Price, today: date = TODAY) -> Quote:
    beside = (replace(each, as_of=today) for each in BESIDE)
    small = market(SmallCatalog(MACHINES, (*rows, *beside)))
    small.catalog.prices.name = CURRENT
    return quote(checklist(TRAINING), checklist_digest="digest", stack="acme", market=small, today=today)


def gpus(found: Quote) -> set[str]:
    return {pool.machine for option in found.options for pool in option.spec.pools if pool.accelerator}


def test_an_undated_price_gives_way_to_a_dated_one_however_dear() -> None:
    found = quoted(DATED, UNDATED_GPU)
    assert gpus(found) == {"big"}
    assert UNDATED in dict(found.refusals)


def test_where_no_dated_price_satisfies_the_checklist_an_undated_one_does() -> None:
    found = quoted(UNDATED_GPU)
    assert gpus(found) == {"far"}
    assert {flag for option in found.options for line in option.bill.lines for flag in line.note.split("; ")} >= {
        "undated"
    }


def expired(days: int) -> date:
    return TODAY + timedelta(days=days)


@pytest.mark.parametrize(
    ("rows", "today", "reason"),
    [
        ((UNDATED_GPU,), expired(181), OLD),
        # The dated price is past its limit and the undated one, which came in later, is not: it does not take over.
        ((DATED, without_day(UNDATED_GPU, entered=expired(100))), expired(181), OLD),
    ],
)
def test_an_undated_price_expires_and_never_takes_the_place_of_an_expired_one(
    rows: tuple[Price, ...], today: date, reason: str
) -> None:
    with pytest.raises(NothingFitsError) as caught:
        quoted(*rows, today=today)
    assert reason in caught.value.hint


@pytest.mark.parametrize(("edit", "name"), [(replace, "other-cpu"), (without_day, "cpu")])
def test_at_one_place_a_dated_cpu_machine_comes_before_an_undated_one(
    edit: Callable[[Price], Price], name: str
) -> None:
    cheap = edit(price("aws", "other-cpu", "us-east-1", "0.1"))
    found = quoted(DATED, cheap)
    system = {pool.machine for option in found.options for pool in option.spec.pools if not pool.accelerator}
    assert system == {name}
