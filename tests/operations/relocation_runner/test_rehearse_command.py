"""`atoll relocate rehearse` around the rehearsal itself, which tests/server runs: its folder, its table, its JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cli.main.application import run as run_cli
from operations.relocation.rehearsal import processes, scenario

if TYPE_CHECKING:
    from collections.abc import Callable

FORM = {
    "schema_version": 1,
    "objects": 1000,
    "stages": [{"name": "fill the source", "seconds": 1.25, "found": "1,007 objects"}],
    "kills": [{"step": "seed", "inside": True}, {"step": "commit", "inside": False}],
    "refused": {"object": "AccessDenied"},
    "flipped": "a/weights.txt",
    "proof": ["sets: 300 objects, 0 missing"],
    "opened": 12,
}


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Folders that were rehearsed in, with nothing to build and servers that are not started."""
    found: list[Path] = []

    def rehearse(folder: Path, *, objects: int, say: Callable[[str], None]) -> Any:
        say(f"{objects} objects")
        folder.mkdir(parents=True)
        found.append(folder)
        return FORM

    monkeypatch.setattr(processes, "programs", lambda: None)
    monkeypatch.setattr(scenario, "rehearse", rehearse)
    return found


def test_what_was_found_is_shown_and_the_folder_is_gone(
    places: list[Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert run_cli(["relocate", "rehearse", "--objects", "1000"]) == 0
    said = capsys.readouterr().out
    assert "fill the source" in said
    assert "1,007 objects" in said
    assert "Killed 2 times, 1 of them inside a step" in said
    assert "sets: 300 objects, 0 missing" in said
    assert not places[0].parent.exists()


def test_a_folder_that_was_named_is_kept_and_json_is_the_form(
    places: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["relocate", "rehearse", "--folder", str(tmp_path / "kept"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == FORM
    assert places == [tmp_path / "kept"]
    assert places[0].is_dir()
