from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from accepted import ROOT, accepted
from locked_stack import write_locked

from cli.main import application

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n", encoding="utf-8")
    for stack in ("demo", "gcp-train"):
        (tmp_path / "stacks" / stack).mkdir(parents=True)
        shutil.copy(ROOT / "stacks" / stack / "checklist.yaml", tmp_path / "stacks" / stack)
    write_locked(tmp_path, accepted("demo"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("project")
def test_markdown_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert application.run(["contract", "demo"]) == 0
    seen = capsys.readouterr()
    assert seen.out.startswith("# Annex to the contract of lagoon-labs\n")
    assert seen.err == ""


def test_both_files_are_written_whole(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert application.run(["contract", "demo", "--html", "out/annex.html", "--markdown", "out/annex.md"]) == 0
    assert (project / "out/annex.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (project / "out/annex.md").read_text(encoding="utf-8").startswith("# Annex")
    seen = capsys.readouterr()
    assert seen.out == ""
    assert "open terms are blank lines" in seen.err


def test_the_page_fetches_nothing(project: Path) -> None:
    application.run(["contract", "demo", "--html", "annex.html"])
    page = (project / "annex.html").read_text(encoding="utf-8")
    assert not [word for word in ("<script", "src=", "url(", "@import", "<link") if word in page]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("stack", "said"),
    [("gcp-train", "accept an option first: atoll accept STACK OPTION"), ("demmo", 'did you mean "demo"?')],
)
def test_without_lock_or_stack_it_says_what_to_do(stack: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert application.run(["contract", stack, "--html", "annex.html"]) == 1
    seen = capsys.readouterr()
    assert said in seen.err
    assert "Traceback" not in seen.err


@pytest.mark.parametrize("broken", ["quote.lock.json", "checklist.yaml"])
def test_what_cannot_be_read_leaves_the_page_as_it_was(
    project: Path, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "annex.html").write_text("before", encoding="utf-8")
    (project / "stacks/demo" / broken).write_text("{", encoding="utf-8")
    assert application.run(["contract", "demo", "--html", "annex.html"]) == 1
    assert (project / "annex.html").read_text(encoding="utf-8") == "before"
    assert broken in capsys.readouterr().err


def test_an_agreement_that_cannot_be_is_told_with_its_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "stacks/demo/checklist.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "agreement:\n  starts: 2027-02-30\n", encoding="utf-8")
    assert application.run(["contract", "demo"]) == 1
    seen = capsys.readouterr().err
    assert "is a day that no calendar has" in seen
    assert "starts: 2027-02-30" in seen


def test_a_file_where_none_can_be_written_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "taken").write_text("", encoding="utf-8")
    assert application.run(["contract", "demo", "--html", "taken/annex.html"]) == 1
    assert "taken" in capsys.readouterr().err


def test_one_file_for_both_is_refused(project: Path) -> None:
    assert application.run(["contract", "demo", "--html", "annex", "--markdown", "./annex"]) == 2
    assert not (project / "annex").exists()
