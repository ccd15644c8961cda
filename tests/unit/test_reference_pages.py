"""The reference pages of the settings and the commands are those of the code, and leave nothing out."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalogs import software_page
from components import settings_page
from components.settings_list import SETTINGS
from driver import manual
from driver.command_table import COMMANDS

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def test_every_setting_that_the_components_read_stands_in_the_page_and_no_other() -> None:
    keys = [each.key for each in SETTINGS]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(settings_page.readers()), "SETTINGS in components/settings_list.py has a row for each key"


def test_a_setting_is_found_however_it_is_read() -> None:
    read = settings_page.readers()
    assert read["gcp:project"] == read["atoll:poolZones"] == "cluster/gcp_settings.py"
    assert read["atoll:capacityReservations"] == "settings.py"


def test_every_command_stands_in_the_page() -> None:
    text = manual.text()
    assert [name for name in COMMANDS if f"## `atoll {name} " not in text] == []


@pytest.mark.parametrize(
    ("page", "module"), [("settings", settings_page), ("commands", manual), ("software", software_page)]
)
def test_the_committed_page_is_the_codes(page: str, module: object) -> None:
    name = getattr(module, "__name__", "")
    command = f".venv/bin/python -m {name} > docs/reference/{page}.md"
    assert (REFERENCE / f"{page}.md").read_text() == module.text(), f"run: {command}"  # type: ignore[attr-defined]
