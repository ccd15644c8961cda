from __future__ import annotations

import json
from pathlib import Path

import pytest
import requests
from github_stub import REPOSITORY, InProcess, Stub, event

from cli.main.application import run
from operations.code_hosts.commit_status import MARKER
from planning.values.errors import InputError

TOKEN = "a token that nobody may see"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stub:
    """A job of GitHub with its environment, whose sessions all lead to a stub."""
    found = Stub()
    monkeypatch.setattr(requests.Session, "get_adapter", lambda *_, **__: InProcess(found))
    (tmp_path / "event.json").write_text(json.dumps(event()))
    environment = {
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_API_URL": found.root,
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_RUN_ID": "12",
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    monkeypatch.delenv("ATOLL_BOT", raising=False)
    return found


def test_the_command_posts_and_sums_up(stub: Stub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["comment", "github"]) == 0
    [(_, status)] = stub.statuses
    assert status["target_url"] == "https://github.example/island/lagoon/actions/runs/12"
    assert (tmp_path / "summary").read_text().startswith(MARKER)
    said = capsys.readouterr()
    assert "status success set" in said.out
    assert TOKEN not in said.out + said.err


@pytest.mark.parametrize("name", ["GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_TOKEN"])
def test_what_is_missing_is_said(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.delenv(name)
    assert run(["comment", "github"]) == InputError.exit_code
    assert ("token" if name == "GITHUB_TOKEN" else name) in capsys.readouterr().err
    assert stub.asked == []


@pytest.mark.usefixtures("stub")
def test_another_event_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "event.json").write_text('{"pull_request": {}}')
    assert run(["comment", "github"]) == InputError.exit_code
    assert "workflow_run" in capsys.readouterr().err


def test_a_github_that_does_not_answer_ends_with_a_sentence(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    stub.forbidden = {f"GET /pulls/{stub.pulls[0]['number']}"}
    assert run(["comment", "github"]) == InputError.exit_code
    said = capsys.readouterr().err
    assert "403" in said
    assert TOKEN not in said


def test_reports_become_issues(stub: Stub, tmp_path: Path) -> None:
    for name, code in (("demo", "10\n"), ("other", "0\n")):
        (tmp_path / f"{name}.code").write_text(code)
        (tmp_path / f"{name}.txt").write_text(f"report of {name}")
    assert run(["comment", "issues", str(tmp_path)]) == 0
    assert ["report of demo" in each["body"] for each in stub.issues] == [True]


@pytest.mark.parametrize(("name", "code"), [("Demo", "0"), ("a b", "0"), ("demo", "x"), ("demo", "")])
def test_a_strange_report_is_refused(stub: Stub, tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / f"{name}.code").write_text(code)
    assert run(["comment", "issues", str(tmp_path)]) == InputError.exit_code
    assert stub.issues == []


def test_a_link_in_the_place_of_a_report_is_not_followed(stub: Stub, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    (tmp_path / "demo.code").write_text("1")
    (tmp_path / "demo.txt").symlink_to(secret)
    run(["comment", "issues", str(tmp_path)])
    assert "hunter2" not in stub.issues[0]["body"]
