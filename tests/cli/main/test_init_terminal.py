"""`atoll init` at a terminal: a real process, keys typed one by one; whoever leaves in the middle leaves nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from terminal_kit import CTRL_C, CTRL_D, ROOT, Terminal, at_terminal

from planning.checklist.reading.checklist_file import read_file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    (tmp_path / "stacks").mkdir()
    return tmp_path


def files_in(project: Path) -> list[str]:
    return sorted(str(path.relative_to(project)) for path in project.rglob("*"))


def enter_until(terminal: Terminal, words: str) -> str:
    """Press enter at every prompt up to the one of a question."""
    passage = terminal.until("] ")
    while words not in passage:
        terminal.type("\n")
        passage = terminal.until("] ")
    return passage


def test_a_newcomer_answers_and_is_told_the_next_command(project: Path) -> None:
    terminal = at_terminal(project, "init")
    terminal.until("Name of the new stack: ")
    for wrong in ("My Stack", "", "../x", "ünï"):
        terminal.type(f"{wrong}\n")
        assert "lower case letters" in terminal.until("Name of the new stack: ")
    terminal.type("mine\n")
    assert "1 of " in enter_until(terminal, "Short name of your team")
    terminal.type("acme\n")
    enter_until(terminal, "Which GPU")
    terminal.type("H1000\n")
    assert 'did you mean "H100"?' in terminal.until("] ")
    terminal.type("H100\n")
    enter_until(terminal, "Length of the contract")
    terminal.type("3\n")
    assert '"3" is none of them: none, 12, 24, 36' in terminal.until("] ")
    terminal.type("<\n")
    assert "Where may data lie?" in terminal.until("] ")
    terminal.type("\n")
    enter_until(terminal, "Answer the rest")
    terminal.type("\n")
    assert terminal.end() == 0, terminal.said
    assert "written: stacks/mine/checklist.yaml" in terminal.said
    assert "next: atoll quote mine" in terminal.said
    checklist = read_file(project / "stacks/mine/checklist.yaml")
    assert checklist.customer.name == "acme"
    assert checklist.workloads[0].hardware is not None
    assert checklist.contract.months == 0


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D], ids=["Ctrl-C", "Ctrl-D"])
@pytest.mark.parametrize("question", ["Name of the new stack: ", "Budget"])
def test_whoever_leaves_in_the_middle_leaves_nothing(key: str, question: str, project: Path) -> None:
    before = files_in(project)
    if question.startswith("Name"):
        terminal = at_terminal(project, "init")
        terminal.until(question)
    else:
        terminal = at_terminal(project, "init", "mine")
        enter_until(terminal, question)
    terminal.type(key)
    assert terminal.end() == 130
    assert "nothing was written" in terminal.said
    assert "Traceback" not in terminal.said
    assert files_in(project) == before


def test_a_stack_made_meanwhile_is_not_written_over(project: Path) -> None:
    terminal = at_terminal(project, "init", "mine")
    enter_until(terminal, "Answer the rest")
    (project / "stacks/mine").mkdir()
    (project / "stacks/mine/checklist.yaml").write_text("theirs\n")
    terminal.type("\n")
    assert terminal.end() == 1
    assert "already there" in terminal.said
    assert (project / "stacks/mine/checklist.yaml").read_text() == "theirs\n"


def test_outside_a_project_nobody_is_asked_anything(tmp_path: Path) -> None:
    terminal = at_terminal(tmp_path, "init")
    assert terminal.end() == 1
    assert "no Atoll project" in terminal.said
    assert "Name of" not in terminal.said
