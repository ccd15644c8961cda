"""Every option of every example: quoted, accepted, planned; the bill equals the takeoff to the cent."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from command_here import command_here
from locked_stack import write_locked

from catalogs.catalog import load
from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import Quote, lock
from planning.quoting.quote_builder import quote
from planning.spec.lock_content import State

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/checklist.yaml"))
TODAY = date(2026, 11, 21)  # the prices of the catalog are of this autumn


@cache
def checklist_of(example: str) -> Checklist:
    return read_file(ROOT / "stacks" / example / "checklist.yaml")


@cache
def quote_of(example: str) -> Quote:
    return quote(checklist_of(example), checklist_digest="", stack=example, market=_market(), today=TODAY)


@cache
def _market() -> Market:
    return Market(load())


MOST_OPTIONS = 5
# Of each example the recommended option in `make test`, every one in `make test-long`, which CI runs for each change.
OPTIONS = [
    pytest.param(example, place, id=f"{example}-{'ABCDE'[place]}", marks=[pytest.mark.long] if place else [])
    for example in EXAMPLES
    for place in range(MOST_OPTIONS)
]


def test_there_are_at_least_seven_examples() -> None:
    assert len(EXAMPLES) >= 7


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_has_three_to_five_options_or_says_why_not(example: str) -> None:
    found = quote_of(example)
    assert 1 <= len(found.options) <= MOST_OPTIONS
    assert len(found.options) >= 3 or found.reason


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_line_is_priced_with_a_source_or_counted_as_unpriced(example: str) -> None:
    lines = [line for option in quote_of(example).options for line in option.bill.lines]
    assert lines
    for line in lines:
        if line.state is State.UNPRICED:
            assert line.usd_per_month is None
            assert line.note
        else:
            assert line.usd_per_month is not None
            assert line.source


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_can_be_had_under_its_ceiling(example: str) -> None:
    assert any(option.judgement.verdict != "over" for option in quote_of(example).options)


@pytest.mark.parametrize(("example", "place"), OPTIONS)
def test_the_bill_of_an_accepted_option_equals_the_cost_of_the_resources_of_its_program(
    example: str, place: int, tmp_path: Path
) -> None:
    checklist, found = checklist_of(example), quote_of(example)
    if place >= len(found.options):
        pytest.skip(f"{example} has {len(found.options)} options")
    chosen = found.options[place]
    accepted = lock(found, chosen, ceiling=ceilings(checklist), contract_months=checklist.contract.months)
    write_locked(tmp_path, accepted)
    (tmp_path / "Pulumi.yaml").write_text((ROOT / "Pulumi.yaml").read_text())
    (tmp_path / "stacks/__main__.py").write_text((ROOT / "stacks/__main__.py").read_text())
    done = command_here(tmp_path, "plan", example, "--json", "--today", str(TODAY))
    assert done.returncode in (0, 10, 11), done.stderr
    plan = json.loads(done.stdout)
    assert plan["differences"] == []
    keys = {line["key"] for line in plan["bill"]["lines"]}
    assert keys == {line.key for line in chosen.bill.lines}
    assert plan["resources"]
