"""Workflow files of GitHub and the template of GitLab: pinned, without rights they do not need, closed to injection."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
TEMPLATE = ROOT / ".gitlab" / "atoll-cost.gitlab-ci.yml"
OURS = {"cost-diff.yml", "cost-comment.yml", "preview.yml", "prices.yml", "search.yml", "watch.yml"}
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
UNPRIVILEGED = "cost-diff.yml"


def read(path: Path) -> dict[Any, Any]:
    return yaml.safe_load(path.read_text())


def triggers(path: Path) -> dict[str, Any]:
    found = read(path)[True]  # YAML 1.1 reads the key `on` as true
    return found if isinstance(found, dict) else dict.fromkeys([found] if isinstance(found, str) else found)


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job.get("steps", [])]


def name(path: Path) -> str:
    return path.name


def test_every_workflow_of_ours_is_there() -> None:
    assert {path.name for path in FILES} >= OURS


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_action_is_pinned_by_commit_with_its_version_beside_it(path: Path) -> None:
    used = [
        line.strip().removeprefix("- ") for line in path.read_text().splitlines() if re.match(r"\s*-? *uses:", line)
    ]
    assert [line for line in used if not PINNED.fullmatch(line)] == []


def test_one_action_has_one_pin() -> None:
    used = re.findall(r"uses: ([\w./-]+)@(\w+)", "".join(path.read_text() for path in FILES))
    assert len({action for action, _ in used}) == len(set(used))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_expression_stands_in_a_script(path: Path) -> None:
    assert [step["run"] for step in steps(path) if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("path", [each for each in FILES if each.name in OURS], ids=name)
def test_scripts_stop_at_the_first_fault_even_in_a_pipe(path: Path) -> None:
    assert read(path)["defaults"]["run"]["shell"] == "bash"  # which GitHub starts with -eo pipefail


@pytest.mark.parametrize("path", FILES, ids=name)
def test_rights_and_a_time_limit_are_stated(path: Path) -> None:
    whole = read(path)
    assert "permissions" in whole
    assert whole["permissions"] in ({}, {"contents": "read"})
    assert all(0 < job["timeout-minutes"] <= 60 for job in whole["jobs"].values())


@pytest.mark.parametrize("path", FILES, ids=name)
def test_pull_request_target_is_never_used(path: Path) -> None:
    assert "pull_request_target" not in path.read_text()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_checkout_keeps_the_token(path: Path) -> None:
    found = [step for step in steps(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in found)


def test_what_runs_the_changes_code_has_no_secret_and_writes_nothing() -> None:
    path = ROOT / ".github" / "workflows" / UNPRIVILEGED
    assert set(triggers(path)) == {"pull_request", "workflow_call"}
    assert read(path)["permissions"] == {"contents": "read"}
    assert [job for job in read(path)["jobs"].values() if "permissions" in job or "environment" in job] == []
    assert not re.search(r"secrets|github\.token|GITHUB_TOKEN", path.read_text())


def test_what_posts_runs_the_default_branch_alone() -> None:
    path = ROOT / ".github" / "workflows" / "cost-comment.yml"
    assert set(triggers(path)) == {"workflow_run"}
    checkouts = [step["with"]["ref"] for step in steps(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts == ["${{ github.event.repository.default_branch }}"]
    [job] = read(path)["jobs"].values()
    rights = {"actions": "read", "contents": "read", "pull-requests": "write", "statuses": "write"}
    assert job["permissions"] == rights
    assert triggers(path)["workflow_run"]["workflows"] == [read(path.with_name("cost-diff.yml"))["name"]]


def test_rights_to_log_in_to_a_cloud_and_to_write_are_in_different_jobs() -> None:
    for path in FILES:
        for job in read(path)["jobs"].values():
            rights = job.get("permissions", {})
            assert not (
                "id-token" in rights
                and "write" in {key: each for key, each in rights.items() if key != "id-token"}.values()
            )
            if "id-token" in rights:
                assert job["environment"]


def test_a_preview_of_a_fork_gets_no_credentials() -> None:
    job = read(ROOT / ".github" / "workflows" / "preview.yml")["jobs"]["preview"]
    assert "github.event.pull_request.head.repo.full_name == github.repository" in job["if"]


def test_gitlab_computes_without_the_token_and_posts_from_the_default_branch() -> None:
    whole = read(TEMPLATE)
    assert "ATOLL_GITLAB_TOKEN" not in str(whole["atoll-cost-diff"])
    [rule] = whole["atoll-cost-note"]["rules"]
    assert "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" in rule["if"]
    assert "schedule" in rule["if"]
