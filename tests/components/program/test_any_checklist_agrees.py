"""Any valid checklist, accepted and planned: what the program builds costs what the option said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from any_checklist import as_yaml, body_of, sampled
from any_market import DAY, market_now
from planned import faults_of_plan, installable

from planning.checklist.model.checklist import Checklist
from planning.quoting.quote import Quote
from planning.quoting.quote_builder import quote
from planning.values.errors import InputError, NothingFitsError

FEW = 4
BLOCKS = 10
MANY = 3  # in each block
STRIDE = 100


def quoted(start: int) -> Iterator[tuple[int, Checklist, Quote]]:
    """Checklists from a number on that have a quote."""
    for number in range(start, start + 1000):
        try:
            checklist = installable(sampled(number))
            yield number, checklist, quote(checklist, checklist_digest="", stack="any", market=market_now(), today=DAY)
        except (InputError, NothingFitsError):
            continue


@pytest.mark.parametrize("at", range(FEW))
def test_the_resources_of_a_recommended_option_cost_its_bill(at: int, tmp_path: Path) -> None:
    _, checklist, found = next(quoted(100 * (at + 1)))
    assert faults_of_plan(checklist, found, found.recommended, tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_resources_of_many_options_cost_their_bills(block: int, free_start: int, tmp_path: Path) -> None:
    walk = quoted(free_start + block * STRIDE)
    for at in range(MANY):
        number, checklist, found = next(walk)
        option = found.shown[(block + at) % len(found.shown)]
        faults = faults_of_plan(checklist, found, option, tmp_path / str(at))
        assert faults == [], f"checklist {number}:\n{as_yaml(body_of(number))}"
