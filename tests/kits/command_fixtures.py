"""A project in a temporary folder, the command run inside this process, and texts that are compared whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command_here import ONCE
from command_project import CHECKLIST, Atoll, Outcome, write_checklist

from cli.main.application import run

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
UPDATE = "ATOLL_UPDATE_GOLDENS"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one stack, `demo`, and the working directory in it."""
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n", encoding="utf-8")
    write_checklist(tmp_path, "demo", CHECKLIST)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("ATOLL_DEBUG", raising=False)
    return tmp_path


@pytest.fixture
def atoll(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Atoll:
    """Run a command line in this process, in the project, over one catalog and one quote of each checklist."""
    assert Path.cwd() == project
    for name, answer in ONCE.items():
        monkeypatch.setattr(name, answer)

    def call(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = run(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a text with tests/golden/cli/NAME."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get(UPDATE) == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text == expected, f"{path.name} is not what it was; if it should not be: {UPDATE}=1 make test"

    return compare


@pytest.fixture
def checklist(project: Path) -> Callable[[str], Path]:
    """Write the checklist of stack `demo`."""
    return lambda text: write_checklist(project, "demo", text)
