"""What moves a limit is read from the files, by a reader that nobody's file can break."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from operations.diff.matching import StackFiles, StackPair, digests, lock_text, select_pairs
from operations.diff.policy_changes import PATH, law_changes, limit_rows, sections
from operations.diff.worktrees import Tree, Worktree

ASKED = StackFiles(lock="100644 a", checklist="100644 a", settings="", digest="a")
CEILING = {"usd_per_month": "100", "usd_per_contract": "1200", "usd_per_gpu_hour": None, "binds": "expected"}
BOMB = "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nexemptions: [*c, *c, *c, *c]\n"
WILD = [
    BOMB,
    "a: &a [*a]\n",
    "? [a]\n: b\n",
    "[" * 10_000,
    "x: " + "y" * 1_100_000,
    "".join(f"k{at}: 1\n" for at in range(200_000)),
    "x: !!python/name:os.system\n",
    "rules: {1: a, b: c}\n",
    "- a",
]


def side(folder: Path, *, law: str | None = None, lock: object = None, name: str = "demo") -> Worktree:
    files: dict[str, str] = {}
    (folder / "stacks" / name).mkdir(parents=True)
    if law is not None:
        (folder / PATH).write_text(law)
        files[PATH] = f"100644 {law}"
    if lock is not None:
        (folder / "stacks" / name / "quote.lock.json").write_text(lock if isinstance(lock, str) else json.dumps(lock))
    return Worktree(Tree(ref="", commit="", files=files), folder)


def moved(tmp_path: Path, old: object, new: object) -> list[tuple[str, str, str, bool]]:
    base, head = side(tmp_path / "base", lock=old), side(tmp_path / "head", lock=new)
    pair = StackPair(stack="demo", was="", old=None if old is None else ASKED, new=ASKED)
    return [(row["what"], row["old"], row["new"], row["raised"]) for row in limit_rows(pair, base, head)]


def lock(month: str | None = "100", **others: object) -> dict[str, object]:
    return {"ceiling": {**CEILING, "usd_per_month": month}, "contract_months": 12, "residency": "EU"} | others


def test_a_new_stack_raises_every_limit_that_it_has(tmp_path: Path) -> None:
    rows = moved(tmp_path, None, lock("9000000"))
    assert ("usd_per_month", "no stack", "9000000", True) in rows
    assert all(raised for *_, raised in rows)


@pytest.mark.parametrize("text", [lock(None), {}, "[]", "not JSON"])
def test_a_new_stack_without_a_ceiling_is_as_loud(tmp_path: Path, text: object) -> None:
    assert ("usd_per_month", "no stack", "none", True) in moved(tmp_path, None, text)


def test_what_else_a_lock_is_bound_by_is_a_row_too(tmp_path: Path) -> None:
    assert moved(tmp_path, lock(), lock(contract_months=1, residency="any")) == [
        ("contract_months", "12", "1", True),
        ("residency", "EU", "any", True),
    ]


@pytest.mark.parametrize("month", ["1e999999999", "1e-999999999", "9" * 5000, "NaN", {"a": 1}, [], True])
def test_a_limit_that_is_no_sane_number_is_a_raised_one(tmp_path: Path, month: object) -> None:
    ((what, old, new, raised),) = moved(tmp_path, lock(), lock(ceiling={**CEILING, "usd_per_month": month}))
    assert (what, old, raised) == ("usd_per_month", "100", True)
    assert len(new) <= 80


def test_a_lock_of_the_base_that_nobody_can_read_binds_nothing_and_that_is_loud(tmp_path: Path) -> None:
    assert ("usd_per_month", "no stack", "100", True) in moved(tmp_path, "broken", lock())


def test_a_lock_that_is_a_link_or_endless_is_not_read(tmp_path: Path) -> None:
    place = side(tmp_path)
    path = tmp_path / "stacks" / "demo" / "quote.lock.json"
    path.symlink_to("/dev/zero")
    assert lock_text(place, "demo") == ""
    path.unlink()
    with path.open("wb") as file:
        file.truncate(2**25)
    assert lock_text(place, "demo") == ""


@pytest.mark.parametrize("identity", ["120000 a", "160000 a"])
def test_a_stack_that_is_a_link_to_elsewhere_is_a_failure_and_not_passed_over(tmp_path: Path, identity: str) -> None:
    before = {"stacks/demo/quote.lock.json": "100644 a"}
    for after in ({**before, "stacks/evil": identity}, {"stacks/demo": identity}):
        places = side(tmp_path / str(len(after)) / "a"), side(tmp_path / str(len(after)) / "b")
        picked = select_pairs(digests(before), digests(after), places=places, only=())
        assert ["link" in pair.fault for pair in picked.pairs] == [True]


def test_a_file_beside_the_stacks_that_is_a_link_is_none() -> None:
    assert digests({"stacks/policies.yaml": "120000 a", "stacks/README.md": "120000 a"}).stacks == {}


@pytest.mark.parametrize("text", WILD)
def test_a_law_that_would_break_its_reader_is_said_to_be_unreadable(tmp_path: Path, text: str) -> None:
    rows = list(law_changes(side(tmp_path / "a", law="rules: {}\n"), side(tmp_path / "b", law=text), judge="base"))
    assert rows
    assert sum(len(row["words"]) for row in rows) < 1000


def test_each_rule_that_is_set_otherwise_is_named_with_what_it_was(tmp_path: Path) -> None:
    old, new = (
        "rules:\n  growth: {most_percent: 5}\n",
        "rules:\n  growth: {most_percent: 500}\n  tags: {level: mandatory}\n",
    )
    rows = list(law_changes(side(tmp_path / "a", law=old), side(tmp_path / "b", law=new), judge="base"))
    assert [row["words"] for row in rows] == [
        'Settings of growth: {"most_percent": 5} → {"most_percent": 500}. The file of the base was used.',
        'Settings of tags: nothing → {"level": "mandatory"}. The file of the base was used.',
    ]


def test_a_thousand_exemptions_are_counted(tmp_path: Path) -> None:
    many = "exemptions:\n" + "".join(f"- {{rule: tags, stack: s{number}}}\n" for number in range(1000))
    rows = list(law_changes(side(tmp_path / "a"), side(tmp_path / "b", law=many), judge="base"))
    assert len(rows) == 51
    assert "950 more" in rows[-1]["words"]


def test_an_empty_file_says_nothing_and_a_missing_one_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    assert sections(path) is None
    path.write_text("# nothing yet\n")
    assert sections(path) == {}
