"""A project in a temporary folder, the command run inside this process, and texts that are compared whole."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from driver.cli import run
from driver.schemas import schema

GOLDEN = Path(__file__).parents[2] / "golden" / "driver"
UPDATE = "ATOLL_UPDATE_GOLDENS"

CHECKLIST = """\
customer:
  name: acme
  owner: ops@acme.example
workloads:
  - name: tune
    kind: fine_tuning
    model:
      parameters: 7B
    tokens: 2B
storage:
  cold:
    size: 2TB
where:
  wanted: [aws]
  regions: [us-east-1]
ceiling:
  usd_per_month: 1000000
"""


@dataclass(frozen=True)
class Outcome:
    """What one command line led to."""

    code: int
    out: str
    err: str


Atoll = Callable[..., Outcome]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one stack, `demo`, and the working directory in it."""
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n", encoding="utf-8")
    write_checklist(tmp_path, "demo", CHECKLIST)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("ATOLL_DEBUG", raising=False)
    return tmp_path


def valid(name: str, text: str) -> Any:
    """The document in a text, once its published schema holds for it."""
    document = json.loads(text)
    jsonschema.validate(document, schema(name), cls=jsonschema.Draft202012Validator)
    return document


def write_checklist(project: Path, stack: str, text: str) -> Path:
    path = project / "stacks" / stack / "checklist.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def atoll(project: Path, capsys: pytest.CaptureFixture[str]) -> Atoll:
    """Run a command line in this process, in the project."""
    assert Path.cwd() == project

    def call(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = run(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a text with tests/golden/driver/NAME."""

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
