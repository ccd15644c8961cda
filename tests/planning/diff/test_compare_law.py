from __future__ import annotations

import pytest
from diff_kit import found

from planning.diff.breaches import compare_breaches, exit_code, newness
from planning.diff.limits import ceiling_changes, judge_changes


def test_breaches_are_new_old_and_mended_by_rule_and_place_not_by_amount() -> None:
    stands = found("tags", urn="urn:pulumi:one::atoll::t::a")
    dearer = {**found("tags", urn="urn:pulumi:two::atoll::t::a"), "sentence": "another amount"}
    breaches, mended = compare_breaches([stands, found("spot-share")], [dearer, found("monthly-ceiling")])  # type: ignore[list-item]
    assert [(each["rule"], each["new"]) for each in breaches] == [("monthly-ceiling", True), ("tags", False)]
    assert [each["rule"] for each in mended] == ["spot-share"]


def test_a_breach_that_nobody_could_tell_and_is_one_now_is_new() -> None:
    assert newness([found("tags", verdict="undetermined")], [found("tags")]) == [True]


@pytest.mark.parametrize(
    ("codes", "new", "dearer", "code"),
    [
        ([1, 10], None, False, 10),
        ([1, 12, 11], None, False, 1),
        ([12, 11], [True, True], False, 12),
        ([1, 12], [False, False], True, 0),
        ([10], [False], False, 10),
        ([11], [False], False, 0),
        ([11], [False], True, 11),
        ([], [], False, 0),
    ],
)
def test_the_worst_of_what_counts_is_the_exit_code(
    codes: list[int], new: list[bool] | None, code: int, *, dearer: bool
) -> None:
    assert exit_code(codes, [found("a")] * len(codes), new=new, dearer=dearer) == code


def test_what_is_let_through_stops_nothing() -> None:
    assert exit_code([10], [found("monthly-ceiling", stops=False)], new=None) == 0


@pytest.mark.parametrize(
    ("old", "new", "raised"),
    [
        ({"usd_per_month": "10"}, {"usd_per_month": "20"}, True),
        ({"usd_per_month": "20"}, {"usd_per_month": "10"}, False),
        ({"usd_per_month": 20}, {}, True),
        ({}, {"usd_per_month": 20}, False),
        ({"binds": "max"}, {"binds": "expected"}, True),
        ({"binds": "expected"}, {"binds": "max"}, False),
        ({"binds": "max"}, {"binds": "dearest"}, True),
        ({"usd_per_month": "10"}, {"usd_per_month": ".inf"}, True),
    ],
)
def test_a_limit_that_lets_more_through_is_said_to_be_raised(
    old: dict[str, object], new: dict[str, object], *, raised: bool
) -> None:
    (change,) = ceiling_changes(old, new, where="a file")
    assert change["raised"] is raised


def test_equal_limits_are_no_change() -> None:
    assert (
        list(ceiling_changes({"usd_per_month": 10000}, {"usd_per_month": "1E+4", "binds": "expected"}, where="")) == []
    )


def test_every_file_that_judges_has_its_row_and_many_of_one_folder_share_one() -> None:
    old = {"policies/tags.py": "1", "README.md": "1", ".github/workflows/ci.yml": "1", "driver/gone.py": "1"}
    new = {"policies/tags.py": "2", "README.md": "2", "catalogs/aws/prices.csv": "1"}
    new |= {"operations/diff/worker.py": "1", "cli/main/entry.py": "1"}
    new |= {f"components/{number}.py": "1" for number in range(9)}
    rows = {each["path"]: each["what"] for each in judge_changes(old, new)}
    assert rows == {
        ".github/workflows/ci.yml": "workflow",
        "catalogs/aws/prices.csv": "prices",
        "cli/main/entry.py": "program",
        "components/": "program",
        "driver/gone.py": "program",
        "operations/diff/worker.py": "program",
        "policies/tags.py": "rules",
    }
