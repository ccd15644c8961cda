from __future__ import annotations

import json

import pytest
from github_stub import archive, form, raised_ceiling
from gitlab_stub import Stub, merge, note
from poster_kit import TOKEN, api

from cli.pages.diff.markdown import render_comment
from operations.code_hosts.commit_status import MARKER
from operations.code_hosts.gitlab import GitLab, post_all


def posted(stub: Stub) -> tuple[str, ...]:
    return post_all(GitLab(api=api(stub), project=1, branch="main"), render=render_comment)


def states(stub: Stub) -> list[str]:
    return [each["state"] for each in stub.statuses]


def test_a_merge_request_gets_a_note_and_a_status() -> None:
    stub = Stub()
    posted(stub)
    assert states(stub) == ["success"]
    assert [each["body"].startswith(MARKER) for each in stub.notes] == [True]
    assert stub.logins == {f"Bearer {TOKEN}"}


def test_the_note_is_found_behind_others_and_rewritten_and_duplicates_go() -> None:
    talk = [note(number, "remark", 7) for number in range(250)]
    stub = Stub(notes=[*talk, note(900, f"{MARKER}\nold"), note(901, f"{MARKER}\nolder"), note(902, MARKER, 7)])
    posted(stub)
    assert [each["id"] for each in stub.notes if each["id"] >= 900] == [900, 902]
    assert "old" not in next(each["body"] for each in stub.notes if each["id"] == 900)


def test_every_open_merge_request_is_looked_at_over_pages() -> None:
    stub = Stub(merges=[merge(iid=number, head_pipeline=None) for number in range(1, 131)])
    assert len(posted(stub)) == 130


@pytest.mark.parametrize(
    "path", ["policies/table.py", ".gitlab-ci.yml", "cli/main/application.py", ".gitlab/atoll-cost.gitlab-ci.yml"]
)
def test_a_change_of_what_judges_fails_and_is_loud(path: str) -> None:
    stub = Stub(diffs=[{"old_path": path, "new_path": "docs/x.md"}])
    posted(stub)
    assert states(stub) == ["failed"]
    assert "edits its own checks" in stub.notes[0]["body"]


@pytest.mark.parametrize(
    "pipeline",
    [
        {"id": 8, "project_id": 2, "sha": "x", "source": "merge_request_event"},
        {"id": 8, "project_id": 1, "sha": "x", "source": "web"},
        {"id": 8, "project_id": 1, "sha": "x"},
    ],
)
def test_figures_of_a_pipeline_that_the_author_set_up_are_a_claim(pipeline: dict[str, object]) -> None:
    stub = Stub(merges=[merge(head_pipeline=pipeline)])
    posted(stub)
    assert states(stub) == ["failed"]
    assert "not verified" in stub.notes[0]["body"]


def test_a_list_of_files_that_is_cut_short_fails() -> None:
    stub = Stub(diffs=[{"old_path": f"docs/{number}.md", "new_path": f"docs/{number}.md"} for number in range(1000)])
    posted(stub)
    assert states(stub) == ["failed"]
    assert "cut short" in stub.notes[0]["body"]


def test_a_target_branch_that_changed_more_than_is_listed_fails() -> None:
    path = "stacks/other/checklist.yaml"
    stub = Stub(since=[{"old_path": path, "new_path": path}] * 1000)
    posted(stub)
    assert states(stub) == ["failed"]


def test_what_another_branch_lets_pass_is_a_status_of_that_branch_alone() -> None:
    stub = Stub(merges=[merge(target_branch="loose")], branches=["loose"])
    posted(stub)
    assert [each["name"] for each in stub.statuses] == ["atoll/cost (loose)"]


def test_a_raised_ceiling_fails() -> None:
    stub = Stub(artifact=archive({"atoll-diff/diff.json": json.dumps(form(stacks=[raised_ceiling()]))}))
    posted(stub)
    assert states(stub) == ["failed"]


@pytest.mark.parametrize(
    "stub",
    [
        Stub(artifact=None),
        Stub(jobs=[]),
        Stub(jobs=[{"id": 5, "name": "atoll-cost-diff", "status": "running"}]),
        Stub(artifact=archive({"diff.json": json.dumps(form())})),
        Stub(artifact=archive({"atoll-diff/diff.json": "{}"})),
        Stub(branches=["other"]),
        Stub(timeout=True),
        Stub(since=[{"old_path": "stacks/policies.yaml", "new_path": "stacks/policies.yaml"}]),
        Stub(since=[{"old_path": "stacks/demo/checklist.yaml", "new_path": "docs/x.md"}]),
        Stub(
            merges=[merge(head_pipeline={"id": 8, "project_id": 2, "sha": "x"})],
            refused={"GET /projects/2/pipelines/8/jobs"},
        ),
    ],
)
def test_without_a_sound_diff_it_fails_and_says_so(stub: Stub) -> None:
    posted(stub)
    assert states(stub) == ["failed"]
    assert "no figures" in stub.notes[0]["body"]


def test_another_stack_that_moved_on_the_target_branch_does_not_matter() -> None:
    stub = Stub(since=[{"old_path": "stacks/other/checklist.yaml", "new_path": "stacks/other/checklist.yaml"}])
    posted(stub)
    assert states(stub) == ["success"]


def test_a_diff_about_another_commit_fails() -> None:
    whole = form()
    whole["head"]["commit"] = "d" * 40
    stub = Stub(artifact=archive({"atoll-diff/diff.json": json.dumps(whole)}))
    posted(stub)
    assert states(stub) == ["failed"]


def test_a_status_that_is_refused_does_not_stop_the_other_merge_requests() -> None:
    stub = Stub(merges=[merge(iid=1, sha="d" * 40), merge(iid=2)])
    first, second = posted(stub)
    assert "may not write" in first
    assert second.startswith("!2: within")
