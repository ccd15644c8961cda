"""The quote of any valid checklist: it holds every law, or the checklist is refused in words.

`make test` walks the same few. `make test-long` walks others from a seed: the quotes of 2,000 in this process; of 100
of them every form (explain, quote as a table of 60, 80 and 200 columns, HTML, Markdown and JSON, each option, accept,
contract, onboard, handbook); of 30 an option planned (`test_any_checklist_agrees.py`). In blocks, so that
two processes share them. By hand, over 50,000: `python tests/generators/walk.py 50000`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from any_checklist import as_yaml, body_of, sampled
from command_forms import faults_of_forms
from walk import breaches, outcome_of, walked

FEW = 100
SHOWN = 6
BLOCKS = 20
MANY = 100  # in each block
MANY_SHOWN = 5
LEAST_ANSWERED = 0.4  # of the checklists drawn; the rest ask for what nobody sells
LEAST_OF_A_BLOCK = 0.25


def test_the_quotes_of_a_few_hold_every_law() -> None:
    found = [outcome_of(number) for number in range(FEW)]
    assert breaches(found) == ""
    assert sum(each.answered for each in found) >= LEAST_ANSWERED * FEW


@pytest.mark.parametrize("number", range(SHOWN))
def test_every_form_of_a_quote_is_written(number: int, tmp_path: Path) -> None:
    assert faults_of_forms(as_yaml(body_of(number)), tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_quotes_of_thousands_hold_every_law(block: int, free_start: int) -> None:
    start = free_start + block * MANY
    found = walked(range(start, start + MANY))
    assert breaches(found) == ""
    assert sum(each.answered for each in found) >= LEAST_OF_A_BLOCK * MANY


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_form_of_a_hundred_quotes_is_written(block: int, free_start: int, tmp_path: Path) -> None:
    start = free_start + block * MANY
    for number in range(start, start + MANY_SHOWN):
        text = as_yaml(body_of(number))
        assert faults_of_forms(text, tmp_path / str(number)) == [], f"checklist {number}:\n{text}"


def test_a_quote_is_the_same_whatever_was_quoted_before() -> None:
    once = [repr(outcome_of(number)) for number in (3, 1, 2)]
    again = [repr(outcome_of(number)) for number in (1, 2, 3)]
    assert sorted(once) == sorted(again)
    assert sampled(1) == sampled(1)
