"""Folders that are no stacks of their own, and files in them that say nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from command_project import Atoll

DAY = ("--today", "2026-11-21")


@pytest.mark.parametrize("name", ["Demo", "bad name", "9lives", "läufer", "a.b", "x" * 64, "-x"])
@pytest.mark.parametrize("command", [("check",), ("quote", *DAY), ("accept", *DAY), ("plan",)])
def test_a_folder_whose_name_no_stack_may_have_is_refused(
    name: str, command: tuple[str, ...], project: Path, atoll: Atoll
) -> None:
    shutil.copytree(project / "stacks/demo", project / "stacks" / name)
    more = ("cheapest",) if command[0] == "accept" else ()
    outcome = atoll(*command, "--", name, *more)
    assert outcome.code == 1
    assert "cannot name a stack" in outcome.err
    assert not (project / "stacks" / name / "quote.lock.json").exists()


def test_a_folder_that_links_to_another_stack_is_refused(project: Path, atoll: Atoll) -> None:
    (project / "stacks/west").symlink_to(project / "stacks/demo", target_is_directory=True)
    outcome = atoll("accept", "west", "cheapest", *DAY)
    assert outcome.code == 1
    assert "two stacks would share one lock" in outcome.err
    assert not (project / "stacks/demo/quote.lock.json").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("{}", "no schema_version, so it is no lock"),
        ('{"schema_version": true}', "no schema_version, so it is no lock"),
        ('{"schema_version": "3"}', "no schema_version, so it is no lock"),
        ('{"schema_version": 4}', "written by a newer Atoll"),
        ('{"schema_version": 2}', "written by an older Atoll"),
        ("[]", "quote.lock.json"),
    ],
)
def test_a_file_that_is_no_lock_says_so(text: str, words: str, project: Path, atoll: Atoll) -> None:
    (project / "stacks/demo/quote.lock.json").write_text(text, encoding="utf-8")
    outcome = atoll("plan", "demo")
    assert outcome.code == 1
    assert words in outcome.err
