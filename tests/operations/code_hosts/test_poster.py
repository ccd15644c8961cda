from __future__ import annotations

from typing import Any

import pytest
from github_stub import BASE, FORK, HEAD, MERGE, STORE, Stub, comment, form, pull, raised_ceiling, review, stack
from poster_kit import TOKEN, github, left, posted

from operations.code_hosts.commit_status import LONGEST, MARKER
from operations.project.http import HttpError


def state(stub: Stub) -> str:
    [(sha, sent)] = stub.statuses
    assert (sha, sent["context"]) == (HEAD, "atoll/cost")
    assert 0 < len(sent["description"]) <= 140
    return sent["state"]


def text(stub: Stub) -> str:
    [only] = [each for each in stub.comments if each["body"].startswith(MARKER)]
    assert len(only["body"]) <= LONGEST
    return only["body"]


def test_a_sound_diff_becomes_a_comment_and_a_success() -> None:
    stub = Stub()
    assert "comment on #7 written" in posted(stub).words
    assert state(stub) == "success"
    assert stub.statuses[0][1]["description"] == "within every ceiling, +50.00 USD a month"
    assert "+50.00" in text(stub)
    assert "CAUTION" not in text(stub)


def test_a_second_run_rewrites_the_comment() -> None:
    stub = Stub()
    posted(stub)
    stub.artifact = left(form(stacks=[stack()]))
    posted(stub)
    assert len(stub.comments) == 1
    assert "demo" in text(stub)


def test_an_unchanged_comment_is_not_sent_again() -> None:
    stub = Stub()
    posted(stub)
    posted(stub)
    assert [method for method, url, _ in stub.asked if "comments" in url and method != "GET"] == ["POST"]


def test_our_comment_is_found_on_the_third_page() -> None:
    talk = [comment(number, f"remark {number}", {"login": "someone", "type": "User"}) for number in range(250)]
    stub = Stub(comments=[*talk, comment(900, f"{MARKER}\nold")])
    posted(stub)
    assert len(stub.comments) == 251
    assert stub.comments[-1]["id"] == 900
    assert "old" not in text(stub)


def test_duplicates_collapse_into_the_oldest() -> None:
    stub = Stub(comments=[comment(number, f"{MARKER}\n{number}") for number in (1, 2, 3)])
    posted(stub)
    assert [each["id"] for each in stub.comments] == [1]


@pytest.mark.parametrize("login", ["stranger", "github-actions", "other[bot]"])
def test_a_comment_of_somebody_else_with_our_marker_is_left_alone(login: str) -> None:
    theirs = comment(1, f"{MARKER}\nall is well", {"login": login, "type": "User"})
    stub = Stub(comments=[dict(theirs)])
    posted(stub)
    assert stub.comments[0] == theirs
    assert len(stub.comments) == 2


def test_our_own_comment_that_only_quotes_the_marker_is_left_alone() -> None:
    stub = Stub(comments=[comment(1, f"the marker is {MARKER}")])
    posted(stub)
    assert stub.comments[0]["body"] == f"the marker is {MARKER}"


@pytest.mark.parametrize("unlisted", [False, True])
def test_a_fork_is_found_without_a_number_in_the_event(unlisted: bool) -> None:
    stub = Stub(pulls=[pull(3, home="island/other"), pull(7, home=FORK)], unlisted=unlisted)
    assert "#7" in posted(stub, home=FORK).words
    assert state(stub) == "success"


@pytest.mark.parametrize(
    "changed",
    [
        {"event": "push"},
        {"event": "workflow_dispatch"},
        {"path": ".github/workflows/mine.yml"},
        {"head_repository": None},
        {"head_repository": {"full_name": FORK}},
        {"head_sha": "d" * 40},
    ],
)
def test_a_run_of_something_else_posts_nothing(changed: dict[str, Any]) -> None:
    stub = Stub()
    assert posted(stub, **changed).words.startswith("nothing to post")
    assert (stub.comments, stub.statuses) == ([], [])


def test_a_head_that_moved_on_before_the_run_ended_posts_nothing() -> None:
    stub = Stub(pulls=[pull(sha="e" * 40)])
    posted(stub)
    assert (stub.comments, stub.statuses) == ([], [])


def test_a_head_that_moves_on_while_we_look_posts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stub = Stub()
    stub_reviews = stub._routes

    def moving(*given: Any) -> dict[str, Any]:
        routes = stub_reviews(*given)
        seen = routes[r"GET /pulls/(\d+)/reviews"]

        def reviews(found: Any) -> Any:
            stub.pulls = [pull(sha="e" * 40)]
            return seen(found)

        return routes | {r"GET /pulls/(\d+)/reviews": reviews}

    monkeypatch.setattr(stub, "_routes", moving)
    assert "moved on" in posted(stub).words
    assert (stub.comments, stub.statuses) == ([], [])


def test_two_pull_requests_from_one_commit_fail_both() -> None:
    stub = Stub(pulls=[pull(7), pull(8)])
    posted(stub)
    assert state(stub) == "failure"


@pytest.mark.parametrize("name", [".github/workflows/cost-diff.yml", "policies/rules/x.py", "catalogs/aws/offers.csv",
                                  "cli/main/application.py", "operations/diff/worker.py", "stacks/policies.yaml",
                                  "stacks/__main__.py", "requirements.lock",
                                  "stacks/demo/../../operations/x.yaml", "stacks/Pulumi.demo.yaml", "stacks/demo",
                                  ".gitlab-ci.yml", "unheard/of"])  # fmt: skip
def test_a_change_of_what_judges_is_loud_and_fails(name: str) -> None:
    stub = Stub(files=[{"filename": "stacks/demo/checklist.yaml"}, {"filename": name}])
    posted(stub)
    assert state(stub) == "failure"
    assert "edits its own checks" in text(stub)
    assert name in text(stub)


def test_a_judge_that_is_renamed_away_counts() -> None:
    stub = Stub(files=[{"filename": "docs/x.md", "previous_filename": "policies/table.py"}])
    posted(stub)
    assert state(stub) == "failure"


def test_a_judge_that_only_the_diff_names_counts() -> None:
    row = {"what": "exemptions", "path": "stacks/policies.yaml", "words": "one more"}
    stub = Stub(artifact=left(form(judge_changes=[row])))
    posted(stub)
    assert state(stub) == "failure"


def test_a_list_of_files_that_is_cut_short_counts_as_a_change_of_what_judges() -> None:
    stub = Stub(files=[{"filename": f"docs/{number}.md"} for number in range(3000)])
    posted(stub)
    assert state(stub) == "failure"
    assert "cut short" in text(stub)


def test_a_raised_ceiling_is_loud_and_fails() -> None:
    stub = Stub(artifact=left(form(stacks=[raised_ceiling()])))
    posted(stub)
    assert state(stub) == "failure"
    assert "raises its own ceiling" in text(stub)


def test_an_approval_of_this_commit_lets_it_stand_and_stays_loud() -> None:
    stub = Stub(files=[{"filename": "cli/main/application.py"}], reviews=[review()])
    posted(stub)
    assert state(stub) == "success"
    assert "CAUTION" in text(stub)


@pytest.mark.parametrize(
    "reviews",
    [
        [review(commit_id="d" * 40)],
        [review(author_association="CONTRIBUTOR")],
        [review(author_association="NONE")],
        [review(state="COMMENTED")],
        [review(state="DISMISSED")],
        [review(), review(state="DISMISSED")],
        [review(), review("other", state="CHANGES_REQUESTED", commit_id="d" * 40)],
        [review(user={"login": "github-actions[bot]", "type": "Bot"})],
        [review(user=None)],
    ],
)
def test_no_other_review_lets_it_stand(reviews: list[dict[str, Any]]) -> None:
    stub = Stub(files=[{"filename": "cli/main/application.py"}], reviews=reviews)
    posted(stub)
    assert state(stub) == "failure"


def test_the_approval_is_found_on_a_later_page() -> None:
    talk = [review(f"user{number}", state="COMMENTED") for number in range(130)]
    stub = Stub(files=[{"filename": "cli/main/application.py"}], reviews=[*talk, review()])
    posted(stub)
    assert state(stub) == "success"


def test_an_approval_does_not_turn_a_broken_ceiling_green() -> None:
    over = stack(after={"verdict": "over", "reason": "", "exit_code": 10})
    stub = Stub(
        files=[{"filename": "cli/main/application.py"}],
        reviews=[review()],
        artifact=left(form(stacks=[over], verdict="over", exit_code=10)),
    )
    posted(stub)
    assert state(stub) == "failure"


def test_an_approval_of_somebody_who_may_only_read_is_none() -> None:
    stub = Stub(files=[{"filename": "cli/main/application.py"}], reviews=[review("guest")], rights={"guest": "read"})
    posted(stub)
    assert state(stub) == "failure"


def test_an_approval_of_whom_nobody_knows_the_rights_is_none() -> None:
    forbidden = {"GET /collaborators/keeper/permission"}
    stub = Stub(files=[{"filename": "cli/main/application.py"}], reviews=[review()], forbidden=forbidden)
    posted(stub)
    assert state(stub) == "failure"


def test_what_another_branch_lets_pass_is_a_status_of_that_branch_alone() -> None:
    loose = pull()
    loose["base"]["ref"] = "loose"
    stub = Stub(pulls=[loose])
    posted(stub)
    assert [sent["context"] for _, sent in stub.statuses] == ["atoll/cost (loose)"]


def test_a_list_of_files_taken_while_another_commit_was_the_head_hides_nothing() -> None:
    stub = Stub(files=[{"filename": "docs/x.md"}], differing=[{"filename": "cli/main/application.py"}])
    posted(stub)
    assert state(stub) == "failure"
    assert "cli/main/application.py" in text(stub)


def test_an_amount_that_is_none_gets_into_no_status_and_no_comment() -> None:
    wild = "1 @island/team <img src=x> **free**"
    usd = {"min": wild, "expected": wild, "max": wild}
    stub = Stub(artifact=left(form(delta={"usd_per_month": usd, "percent": None})))
    posted(stub)
    assert stub.statuses[0][1]["description"] == "within every ceiling"
    assert "@island" not in text(stub)
    assert "<img" not in text(stub)


def test_a_missing_artifact_fails_and_says_so() -> None:
    stub = Stub(artifact=None)
    posted(stub)
    assert state(stub) == "failure"
    assert "no figures" in text(stub)


@pytest.mark.parametrize(
    ("head", "base"),
    [(MERGE, "d" * 40), ("d" * 40, BASE), (HEAD, "d" * 40), ("", BASE), (MERGE, ""), ("../../x", BASE)],
)
def test_a_diff_about_other_commits_fails(head: str, base: str) -> None:
    whole = form()
    whole["head"]["commit"], whole["base"]["commit"] = head, base
    stub = Stub(artifact=left(whole))
    posted(stub)
    assert state(stub) == "failure"
    assert "no figures" in text(stub)


def test_a_base_branch_that_was_force_pushed_fails_and_asks_for_another_run() -> None:
    stub = Stub(on_base=set())
    posted(stub)
    assert state(stub) == "failure"
    assert "run the job again" in text(stub)


def test_a_comment_that_is_forbidden_leaves_the_status_and_the_words() -> None:
    stub = Stub(forbidden={"POST /issues/7/comments"})
    done = posted(stub)
    assert "not allowed" in done.words
    assert done.comment.startswith(MARKER)
    assert state(stub) == "success"


def test_a_status_that_is_forbidden_is_a_fault() -> None:
    stub = Stub(forbidden={f"POST /statuses/{HEAD}"})
    with pytest.raises(HttpError):
        posted(stub)


def test_what_the_artifact_calls_its_comment_is_never_posted() -> None:
    stub = Stub(artifact=left(form()))
    posted(stub)
    assert "hello" not in text(stub)


def test_text_from_the_diff_cannot_mention_or_break_out() -> None:
    wild = "</details><script>@island/team `x` ![p](https://evil.example/p.png) <!-- atoll-diff -->"
    failed = stack(notes=[wild], failure=wild, state="failed", after=None)
    stub = Stub(artifact=left(form(stacks=[failed], notes=[wild], verdict="failed", exit_code=1)))
    posted(stub)
    shown = text(stub)
    assert "<script>" not in shown
    assert "![p](" not in shown
    assert shown.count(MARKER) == 1


def test_the_token_goes_to_the_api_alone() -> None:
    stub = Stub()
    done = posted(stub)
    elsewhere = [login for _, url, login in stub.asked if url.startswith(STORE)]
    assert elsewhere == [""]
    assert TOKEN not in repr(done) + repr(github(stub)) + str(vars(github(stub).api.session))
