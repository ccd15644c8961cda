"""Pages for users: links lead somewhere, commands exist, examples can be read, and every guide is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from pydantic import ValidationError

from cli.main.application import app
from cli.main.command_table import COMMANDS
from planning.checklist.model.checklist import Checklist

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|`|\$ )atoll ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?", re.MULTILINE)
GROUPS = ("catalog", "engine", "gitops", "nodes", "relocate", "software")
TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}


def label(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
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


def examples(page: Path) -> Iterator[tuple[str, list[Any]]]:
    """Each block of YAML, with the documents in it; none for a block that cannot be read."""
    for block in YAML.findall(TEXTS[page]):
        try:
            yield block, list(yaml.safe_load_all(block))
        except yaml.YAMLError:
            yield block, []


def test_links_lead_to_pages_and_headings_that_are_there() -> None:
    missing: list[str] = []
    for page, text in TEXTS.items():
        for file, heading in LINK.findall(text):
            target = page.parent / file if file else page
            if not target.exists() or (heading and heading not in anchors(target)):
                missing.append(f"{label(page)}: {file}#{heading}")
    assert missing == []


def test_commands_that_are_written_down_exist() -> None:
    known = known_commands()
    unknown: list[str] = []
    for page, text in TEXTS.items():
        for name, inner in COMMAND.findall(text):
            if name not in known or (name in GROUPS and inner and inner not in known[name]):
                unknown.append(f"{label(page)}: atoll {name} {inner}")
    assert unknown == []


def test_examples_of_yaml_can_be_read() -> None:
    unread = [
        f"{label(page)}: {block}"
        for page in PAGES
        for block, documents in examples(page)
        if not documents or None in documents
    ]
    assert unread == []


def test_examples_of_checklists_have_fields_that_exist() -> None:
    whole = yaml.safe_load((ROOT / "stacks/demo/checklist.yaml").read_text(encoding="utf-8"))
    faults: list[str] = []
    for page in PAGES:
        for _, documents in examples(page):
            first: Any = next(iter(documents), None)
            if isinstance(first, dict) and first.keys() <= Checklist.model_fields.keys():
                try:
                    Checklist.model_validate(merged(whole, cast("dict[str, Any]", first)))
                except ValidationError as error:
                    faults.append(f"{label(page)}: {error}")
    assert faults == []


@pytest.mark.parametrize("folder", ["guides", "runbooks", "decisions"])
def test_every_page_is_listed(folder: str) -> None:
    index = ROOT / "docs" / folder / "README.md"
    listed = {file for file, _ in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page.name for page in index.parent.glob("*.md")} - {"README.md"} <= listed
