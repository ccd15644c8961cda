"""Pages for users: links lead somewhere, commands exist, examples can be read, and every guide is listed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from driver.cli import app
from driver.command_table import COMMANDS
from planning.checklist import Checklist

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|`|\$ )atoll ([a-z]+)(?: ([a-z]+))?", re.MULTILINE)
GROUPS = ("catalog", "engine", "nodes", "relocate", "software")
of_pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(page: Path) -> set[str]:
    """What a heading is called in an address."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    both = {key: merged(old[key], new[key]) for key in new if isinstance(new[key], dict) and key in old}
    return {**old, **new, **both}


def known_commands() -> dict[str, set[str]]:
    """Every command, with its subcommands."""
    root = app()
    return {name: set(getattr(root.get_command(None, name), "commands", {})) for name in COMMANDS}


@of_pages
def test_links_lead_to_pages_and_headings_that_are_there(page: Path) -> None:
    missing: list[str] = []
    for file, heading in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / file if file else page
        if not target.exists() or (heading and heading not in anchors(target)):
            missing.append(f"{file}#{heading}" if heading else file)
    assert missing == []


@of_pages
def test_commands_that_are_written_down_exist(page: Path) -> None:
    known = known_commands()
    named = COMMAND.findall(page.read_text(encoding="utf-8"))
    assert [each for each, _ in named if each not in known] == []
    assert [(group, each) for group, each in named if group in GROUPS and each and each not in known[group]] == []


@of_pages
def test_examples_of_yaml_can_be_read(page: Path) -> None:
    for block in YAML.findall(page.read_text(encoding="utf-8")):
        assert all(each is not None for each in yaml.safe_load_all(block)), block


@of_pages
def test_examples_of_checklists_have_fields_that_exist(page: Path) -> None:
    whole = yaml.safe_load((ROOT / "stacks/demo/checklist.yaml").read_text(encoding="utf-8"))
    for block in YAML.findall(page.read_text(encoding="utf-8")):
        first: Any = next(iter(yaml.safe_load_all(block)))
        if isinstance(first, dict) and first.keys() <= Checklist.model_fields.keys():
            Checklist.model_validate(merged(whole, cast("dict[str, Any]", first)))


@pytest.mark.parametrize("folder", ["guides", "runbooks", "decisions"])
def test_every_page_is_listed(folder: str) -> None:
    index = ROOT / "docs" / folder / "README.md"
    listed = {file for file, _ in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page.name for page in index.parent.glob("*.md")} - {"README.md"} <= listed
