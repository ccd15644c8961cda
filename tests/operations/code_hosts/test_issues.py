from __future__ import annotations

from typing import Any

from github_stub import BOT, Stub
from poster_kit import github

from operations.code_hosts.github_report import Watched, keep

OVER = Watched(stack="demo", exit_code=10, report="over by 200 USD")
WELL = Watched(stack="demo", exit_code=0, report="within")


def test_drift_opens_one_issue_and_only_one() -> None:
    stub = Stub()
    keep([OVER], github=github(stub))
    assert keep([OVER], github=github(stub)) == ()
    [issue] = stub.issues
    assert issue["labels"] == ["atoll-watch"]
    assert "over by 200 USD" in issue["body"]


def test_another_report_updates_the_issue() -> None:
    stub = Stub()
    keep([OVER], github=github(stub))
    keep([Watched(stack="demo", exit_code=11, report="undetermined")], github=github(stub))
    assert len(stub.issues) == 1
    assert "undetermined" in stub.issues[0]["body"]


def test_an_issue_is_closed_once_all_is_well() -> None:
    stub = Stub()
    keep([OVER], github=github(stub))
    assert keep([WELL], github=github(stub)) == ("demo: issue #1000 closed",)
    assert stub.issues[0]["state"] == "closed"
    assert keep([WELL], github=github(stub)) == ()


def test_each_stack_has_its_own_issue_and_those_not_looked_at_keep_theirs() -> None:
    stub = Stub()
    keep([OVER, Watched(stack="other", exit_code=1, report="broken")], github=github(stub))
    keep([WELL], github=github(stub))
    assert [each.get("state", "open") for each in stub.issues] == ["closed", "open"]


def test_an_issue_behind_a_hundred_others_is_found_and_strangers_and_pull_requests_are_not_touched() -> None:
    marked = "<!-- atoll:watch:demo -->\nold"
    talk: list[dict[str, Any]] = [
        {"number": n, "body": marked, "user": {"login": "x", "type": "User"}} for n in range(120)
    ]
    talk.append({"number": 500, "body": marked, "user": dict(BOT), "pull_request": {}})
    talk.append({"number": 501, "body": marked, "user": dict(BOT)})
    stub = Stub(issues=talk)
    assert keep([OVER], github=github(stub)) == ("demo: issue #501 updated",)


def test_a_report_cannot_leave_its_block() -> None:
    stub = Stub()
    keep([Watched(stack="demo", exit_code=1, report="a\n```\n</details> @team\x1b[31m\n\n<img>")], github=github(stub))
    _, _, block = stub.issues[0]["body"].partition(":\n\n")
    assert all(line.startswith("    ") for line in block.splitlines() if line)
    assert "\x1b" not in block
