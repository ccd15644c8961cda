"""The quote of any valid checklist: it holds every law, or the checklist is refused in words.

`make test` walks the same few; `make test-long` walks thousands from a free seed. By hand, over 50,000:
`python tests/generators/walk.py 50000`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from any_checklist import as_yaml, body_of, sampled
from command_forms import faults_of_forms
from walk import Outcome, breaches, outcome_of, walked

FEW = 150
SHOWN = 12
MANY = 2000
MANY_SHOWN = 100
LEAST_ANSWERED = 0.4  # of the checklists drawn; the rest ask for what nobody sells


def test_the_quotes_of_a_few_hold_every_law() -> None:
    found = [outcome_of(number) for number in range(FEW)]
    assert breaches(found) == ""
    assert sum(each.answered for each in found) >= LEAST_ANSWERED * FEW


@pytest.mark.parametrize("number", range(SHOWN))
def test_every_form_of_a_quote_is_written(number: int, tmp_path: Path) -> None:
    assert faults_of_forms(as_yaml(body_of(number)), tmp_path) == []


@pytest.mark.long
def test_the_quotes_of_thousands_hold_every_law(free_start: int) -> None:
    found: list[Outcome] = walked(range(free_start, free_start + MANY))
    assert breaches(found) == ""
    assert sum(each.answered for each in found) >= LEAST_ANSWERED * MANY


@pytest.mark.long
def test_every_form_of_a_hundred_quotes_is_written(free_start: int, tmp_path: Path) -> None:
    start = free_start()
    for number in range(start, start + MANY_SHOWN):
        assert faults_of_forms(as_yaml(body_of(number)), tmp_path) == [], (
            f"checklist {number}:\n{as_yaml(body_of(number))}"
        )


def test_a_quote_is_the_same_whatever_was_quoted_before() -> None:
    once = [repr(outcome_of(number)) for number in (3, 1, 2)]
    again = [repr(outcome_of(number)) for number in (1, 2, 3)]
    assert sorted(once) == sorted(again)
    assert sampled(1) == sampled(1)
