"""`atoll:estimates` of a stack's configuration: quotes and plans estimate, unless it says none."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from operations.plans.quote import quote_subject
from operations.project.stack_config import allows_estimates
from operations.project.workspace import StackRef
from planning.values.errors import InputError

CHECKLIST = Path(__file__).parents[3] / "stacks" / "demo" / "checklist.yaml"
TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("values", "allowed"),
    [({}, True), ({"atoll:estimates": "allowed"}, True), ({"atoll:estimates": "none"}, False)],
)
def test_the_setting_says_whether(values: dict[str, str], *, allowed: bool) -> None:
    assert allows_estimates(values) is allowed


@pytest.mark.parametrize("word", ["", "None", "no", "false", "0"])
def test_another_word_is_refused_and_not_taken_for_either(word: str) -> None:
    with pytest.raises(InputError, match="must be one of allowed, none"):
        allows_estimates({"atoll:estimates": word})


@pytest.mark.parametrize(
    ("config", "allowed"),
    [(None, True), ("config: {}\n", True), ("config:\n  atoll:estimates: none\n", False)],
)
def test_a_quote_of_a_stack_follows_its_configuration(tmp_path: Path, config: str | None, *, allowed: bool) -> None:
    checklist = tmp_path / "stacks" / "mine" / "checklist.yaml"
    checklist.parent.mkdir(parents=True)
    shutil.copy(CHECKLIST, checklist)
    if config is not None:
        (tmp_path / "stacks" / "Pulumi.mine.yaml").write_text(config, encoding="utf-8")
    answer = quote_subject(StackRef("mine", checklist), book="current", own="", today=TODAY, allow_stale=True)
    assert (answer.market.estimates is not None) is allowed
    if not allowed:
        assert not any(option.bill.estimated for option in answer.quote.options)


def test_a_checklist_outside_a_project_is_estimated(tmp_path: Path) -> None:
    checklist = tmp_path / "wanted.yaml"
    shutil.copy(CHECKLIST, checklist)
    answer = quote_subject(StackRef("wanted", checklist), book="current", own="", today=TODAY, allow_stale=True)
    assert answer.market.estimates is not None
