"""The reference pages of the settings and the commands are those of the code, and leave nothing out."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalogs.reference_pages import software
from cli.main import reference_page
from cli.main.command_table import COMMANDS
from components.context import settings_reference
from components.context.settings_reference import SETTINGS

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def test_every_setting_that_the_components_read_stands_in_the_page_and_no_other() -> None:
    keys = [each.key for each in SETTINGS]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(settings_reference.readers()), "catalogs/platform/settings.csv has a row for each key"


def test_a_setting_is_found_however_it_is_read() -> None:
    read = settings_reference.readers()
    assert read["gcp:project"] == read["atoll:poolZones"] == "clouds/gcp/cluster/settings.py"
    assert read["atoll:capacityReservations"] == "context/settings.py"


def test_every_command_stands_in_the_page() -> None:
    text = reference_page.text()
    assert [name for name in COMMANDS if f"## `atoll {name} " not in text] == []


@pytest.mark.parametrize(
    ("page", "module"), [("settings", settings_reference), ("commands", reference_page), ("software", software)]
)
def test_the_committed_page_is_the_codes(page: str, module: object) -> None:
    name = getattr(module, "__name__", "")
    command = f".venv/bin/python -m {name} > docs/reference/{page}.md"
    assert (REFERENCE / f"{page}.md").read_text() == module.text(), f"run: {command}"  # type: ignore[attr-defined]
