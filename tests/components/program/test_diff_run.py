"""`atoll diff` over a real repository: two trees, each in its own process."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from diff_repository import BIG, SMALL, accept, accepted, atoll, commit, diff, git, lock_of, made, row
from pydantic import TypeAdapter

from planning.diff.form import DiffForm

BRANCH = "pr/$(touch${IFS}pwned);`id`&--exec|_<b>_"
EXEMPTIONS = f"""\
exemptions:
  - rule: monthly-ceiling
    stack: {BIG}
    owner: anna@example.com
    reason: the quarter of the large run
    expires: 2026-12-31
    max_usd_per_month: 900000
"""
pytestmark = pytest.mark.xdist_group("diff")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("diff") / "project")


@pytest.fixture(scope="module")
def greedy(repository: Path) -> DiffForm:
    """A pull request that takes six times as many nodes, and edits its own ceiling, exemption, prices and workflow."""
    git(repository, "switch", "--quiet", "--create", "greedy")
    lock = accepted(repository, BIG)
    pool = next(each for each in lock["placements"][0]["pools"] if each["role"] == "gpu")
    pool |= {"max_nodes": 19, "working": 18, "node_hours": {"min": "0", "expected": "9000", "max": "13870"}}
    lock["ceiling"]["usd_per_month"] = "900000"
    accept(repository, BIG, lock)
    (repository / "stacks" / "policies.yaml").write_text(EXEMPTIONS)
    prices = repository / "catalogs" / "coreweave" / "prices.csv"
    prices.write_text(prices.read_text().replace("spot,hour,34.11,", "spot,hour,3.11,"))
    (repository / ".github" / "workflows").mkdir(parents=True)
    (repository / ".github" / "workflows" / "ci.yml").write_text("on: push\n")
    commit(repository, "more")
    git(repository, "branch", "--move", BRANCH)
    found = diff(repository, "--base", "main", "--head", BRANCH)
    git(repository, "switch", "--quiet", "main")
    return found


def test_the_base_judges_what_a_pull_request_allows_itself(greedy: DiffForm) -> None:
    stack = row(greedy, BIG)
    assert (greedy["exit_code"], greedy["verdict"]) == (10, "over")
    assert stack["after"] is not None
    assert "150,000.00" in stack["after"]["reason"]
    over = next(each for each in stack["breaches"] if each["rule"] == "monthly-ceiling")
    assert (over["new"], over["stops"], over["exemption"]) == (True, True, "")
    assert stack["exemptions"] == []


def test_what_a_pull_request_does_to_its_judges_is_said_row_by_row(greedy: DiffForm) -> None:
    rows = {(each["what"], each["path"]) for each in greedy["judge_changes"]}
    assert rows == {
        ("exemptions", "stacks/policies.yaml"),
        ("prices", "catalogs/coreweave/prices.csv"),
        ("workflow", ".github/workflows/ci.yml"),
    }
    assert any("anna@example.com" in each["words"] for each in greedy["judge_changes"])
    (ceiling,) = row(greedy, BIG)["ceilings"]
    assert (ceiling["what"], ceiling["old"], ceiling["new"], ceiling["raised"]) == (
        "usd_per_month",
        "150000",
        "900000",
        True,
    )


def test_what_the_code_moves_is_split_from_what_prices_move(greedy: DiffForm) -> None:
    stack = row(greedy, BIG)
    assert stack["by_change"] is not None
    assert stack["by_prices"] is not None
    assert float(stack["by_change"]["usd_per_month"]["expected"]) > 150_000
    assert float(stack["by_prices"]["usd_per_month"]["expected"]) == pytest.approx(-9000 * 31, rel=0.01)
    assert greedy["base"]["prices_digest"] != greedy["head"]["prices_digest"]
    assert stack["components"][0]["name"].startswith("pool/")


def test_a_name_full_of_metacharacters_is_a_name(greedy: DiffForm, repository: Path) -> None:
    assert greedy["head"]["ref"] == BRANCH
    assert greedy["head"]["commit"] == git(repository, "rev-parse", "--verify", f"refs/heads/{BRANCH}").strip()
    assert not list(repository.glob("pwned*"))


def test_a_stack_that_only_prices_touch_is_looked_at_and_unchanged(greedy: DiffForm) -> None:
    assert row(greedy, SMALL)["state"] == "unchanged"


def test_the_document_has_the_published_shape(greedy: DiffForm) -> None:
    TypeAdapter(DiffForm).validate_python(greedy)


def test_nothing_is_left_behind(greedy: DiffForm, repository: Path) -> None:
    assert greedy["stacks"]
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert git(repository, "status", "--porcelain") == ""


def test_equal_sides_are_not_run(repository: Path) -> None:
    found = diff(repository, "--base", "main", "--deadline", "1", code=0)
    assert found["stacks"] == []
    assert found["untouched"] == 11


def test_a_renamed_a_removed_and_a_broken_stack_are_told_beside_each_other(repository: Path, tmp_path: Path) -> None:
    clone = _clone(repository, tmp_path)
    git(clone, "mv", f"stacks/{SMALL}", "stacks/lambda-two")
    git(clone, "mv", f"stacks/Pulumi.{SMALL}.yaml", "stacks/Pulumi.lambda-two.yaml")
    accept(clone, "lambda-two", {**accepted(clone, "lambda-two"), "stack": "lambda-two"})
    shutil.rmtree(clone / "stacks" / BIG)
    shutil.copytree(clone / "stacks" / "lambda-two", clone / "stacks" / "broken")
    lock_of(clone, "broken").write_text('{"schema_version": 3, "digest": "of another"}')
    shutil.copytree(clone / "stacks" / "lambda-two", clone / "stacks" / "$(id)")
    found = diff(clone, "--base", "main")
    assert {each["stack"]: each["state"] for each in found["stacks"]} == {
        "broken": "failed",
        "$(id)": "failed",
        "lambda-two": "renamed",
        BIG: "removed",
    }
    assert found["exit_code"] in (1, 10)
    assert "edited after it was accepted" in row(found, "broken")["failure"]
    removed, renamed = row(found, BIG), row(found, "lambda-two")
    assert renamed["was"] == SMALL
    assert (renamed["old"], renamed["counts"] or {}) == (renamed["new"], {**(renamed["counts"] or {}), "created": 0})
    assert removed["new"] is None
    assert {each["type"] for each in removed["called_out"] if each["holds_data"]} > {
        "coreweave:index/objectStorageBucket:ObjectStorageBucket"
    }
    assert any("atoll destroy" in each for each in removed["notes"])


def test_the_head_is_run_from_its_own_tree_and_its_faults_are_its_own(repository: Path, tmp_path: Path) -> None:
    clone = _clone(repository, tmp_path)
    program = clone / "stacks" / "__main__.py"
    words = 'print("to stdout", __import__("os").environ)\nraise RuntimeError("the head was run")\n'
    program.write_text(f"{program.read_text().partition('def main')[0]}\n{words}")
    found = diff(clone, "--base", "main", code=1)
    assert found["verdict"] == "failed"
    assert [each["state"] for each in found["stacks"]] == ["failed", "failed"]
    assert all("the head was run" in each["failure"] for each in found["stacks"])
    assert "never-shown" not in str(found)


def test_a_head_that_ends_its_process_or_hangs_fails_stack_by_stack(repository: Path, tmp_path: Path) -> None:
    clone = _clone(repository, tmp_path)
    program = clone / "stacks" / "__main__.py"
    hang = f'import os, time, pulumi\nif pulumi.get_stack() == "{BIG}":\n    time.sleep(600)\nos._exit(7)\n'
    program.write_text(hang)
    found = diff(clone, "--base", "main", "--deadline", "20", code=1)
    assert "did not end within 20 s" in row(found, BIG)["failure"]
    assert "ended with code 7" in row(found, SMALL)["failure"]


def test_a_base_whose_atoll_is_older_is_asked_by_its_own_command(repository: Path, tmp_path: Path) -> None:
    clone = _clone(repository, tmp_path)
    side = clone / "operations" / "diff" / "worker.py"
    text = side.read_text()
    side.unlink()
    commit(clone, "an older Atoll")
    side.write_text(text)
    found = diff(clone, "--base", "HEAD", "--stack", SMALL)
    assert row(found, SMALL)["state"] == "unchanged"
    assert row(found, SMALL)["old"] == row(found, SMALL)["new"]
    assert any("older" in each for each in found["notes"])
    assert all("head" in each["words"] for each in found["judge_changes"])


def test_a_branch_that_is_behind_says_so_and_may_start_where_it_parted(repository: Path, tmp_path: Path) -> None:
    clone = _clone(repository, tmp_path)
    (clone / "catalogs" / "terms.csv").write_text("later")
    commit(clone, "later, on the base")
    late = diff(clone, "--base", "HEAD", "--head", "HEAD~1", "--stack", SMALL)
    assert any("lacks a commit" in each for each in late["notes"])
    parted = diff(clone, "--base", "HEAD", "--head", "HEAD~1", "--merge-base", code=0)
    assert (parted["stacks"], parted["judge_changes"]) == ([], [])


def test_an_unknown_ref_is_one_sentence_with_a_way_out(repository: Path) -> None:
    for ref in ("nowhere", "--help", "$(id)", "0" * 40):
        done = atoll(repository, "diff", f"--base={ref}", code=1)
        assert done.stderr.count("error:") == 1
        assert "fetch-depth: 0" in done.stderr
        assert "Traceback" not in done.stderr


def test_an_empty_ref_is_a_fault_of_usage(repository: Path) -> None:
    done = atoll(repository, "diff", "--base=", code=2)
    assert done.stderr.count("error:") == 1
    assert "'--base': it is empty" in done.stderr


def test_a_stack_that_neither_side_has_is_refused(repository: Path) -> None:
    assert "nobody" in atoll(repository, "diff", "--base", "main", "--stack", "nobody", code=1).stderr


def _clone(repository: Path, folder: Path) -> Path:
    git(folder, "clone", "--quiet", "--branch", "main", str(repository), "clone")
    return folder / "clone"
