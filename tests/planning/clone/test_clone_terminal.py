"""A clone that is decided by a person at a terminal: a real pseudo-terminal, a real process, keys typed one by one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from clone_kit import files_of, project_at
from terminal_kit import CTRL_C, CTRL_D, at_terminal

from cli.main import application
from planning.checklist.reading.checklist_file import read_file

CLONE = ("clone", "demo", "west", "--region", "us-west-2", "--allow-stale", "--today", "2026-11-21")


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a demo that has a domain of its own, which no clone can keep."""
    folder = project_at(tmp_path_factory.mktemp("terminal"), "demo")
    checklist = folder / "stacks/demo/checklist.yaml"
    checklist.write_text(checklist.read_text().replace("  residency: US", "  residency: US\n  domain: ml.example.org"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert application.run(["accept", "demo", "cheapest", "--allow-stale", "--today", "2026-11-21"]) == 0
    return folder


@pytest.fixture
def project(accepted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(accepted, tmp_path / "project"))


def test_a_person_is_asked_told_why_an_answer_cannot_be_and_gets_the_clone(project: Path) -> None:
    terminal = at_terminal(project, *CLONE)
    asked = terminal.until("[no default] ")
    assert "where.domain: two clusters cannot answer to ml.example.org (now ml.example.org)" in asked
    for refused, why in (
        ("", "an answer is needed"),
        ("ml.example.org", "ml.example.org is the source's own"),
        ("NAME", "NAME stands for a word of your own"),
        ("not a name", "where.domain"),
    ):
        terminal.type(f"{refused}\n")
        assert why in terminal.until("[no default] ")
    terminal.type("west.example.org\n")
    assert "contract.months: the source's term of 12 months continues" in terminal.until("[keep] ")
    terminal.type("13\n")
    assert "contract.months" in terminal.until("[keep] ")
    terminal.type("24\n")
    assert terminal.end() == 0, terminal.said
    assert "assumed" not in terminal.said[terminal.seen :]
    clone = read_file(project / "stacks/west/checklist.yaml")
    assert (clone.where.domain, clone.contract.months) == ("west.example.org", 24)


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D], ids=["Ctrl-C", "Ctrl-D"])
def test_whoever_leaves_in_the_middle_leaves_nothing(key: str, project: Path) -> None:
    before = files_of(project)
    terminal = at_terminal(project, *CLONE)
    terminal.until("[no default] ")
    terminal.type("west.example.org\n")
    terminal.until("[keep] ")
    terminal.type(key)
    assert terminal.end() == 130
    assert "nothing was written" in terminal.said
    assert "Traceback" not in terminal.said
    assert files_of(project) == before


def test_ctrl_c_while_programs_run_leaves_nothing(project: Path) -> None:
    before = files_of(project)
    decided = project.parent / "d.yaml"
    decided.write_text("where.domain: none\n")
    terminal = at_terminal(project, *CLONE, "--decisions", str(decided))
    terminal.until("running the programs")
    terminal.type(CTRL_C)
    assert terminal.end() == 130
    assert "Traceback" not in terminal.said
    assert files_of(project) == before
