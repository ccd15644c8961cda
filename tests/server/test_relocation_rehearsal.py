"""A whole relocation between real servers: rolled back once, moved once, killed in every step, one bit changed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from _pytest.capture import CaptureManager

from operations.relocation.rehearsal.processes import NEEDED, POSTGRES, PYTHON, REPOSITORY, WITHOUT_GO, postgres_program
from operations.relocation.rehearsal.scenario import rehearse
from planning.relocation.steps import NAMES

if TYPE_CHECKING:
    from operations.relocation.rehearsal.report import RehearsalForm

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

OBJECTS = 2_000  # a step that copies or compares them lasts seconds; `atoll relocate rehearse` takes more of them
TRACKED = 2 * (3 + 1 + 2)  # in each of two experiments: a file of three runs, a model, two traces
SENTENCE = re.compile(r"([\d,]+) objects, .*0 missing, 0 extra, 0 different")


def _missing() -> str:
    """What this machine lacks; "" for nothing."""
    command = [sys.executable, str(REPOSITORY / "tools" / "build"), *NEEDED]
    if subprocess.run(command, check=False).returncode == WITHOUT_GO:
        return "the servers are built with Go, and there is no `go` on PATH"
    if not PYTHON.exists():
        return "MLflow is not installed: make .venv-mlflow/.installed"
    absent = [name for name in POSTGRES if not postgres_program(name)]
    return f"PostgreSQL is not installed: {', '.join(absent)}" if absent else ""


@pytest.fixture(scope="module")
def form(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> RehearsalForm:
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert isinstance(capture, CaptureManager)
    with capture.global_and_fixture_disabled():  # the first build takes minutes and says so
        missing = _missing()
    if missing and os.environ.get("CI", "").lower() in {"true", "1"}:
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    said: list[str] = []
    return rehearse(tmp_path_factory.mktemp("relocation") / "rehearsal", objects=OBJECTS, say=said.append)


def test_every_object_is_at_the_target_and_none_is_different(form: RehearsalForm) -> None:
    counts = [SENTENCE.search(sentence) for sentence in form["proof"]]
    assert len(counts) == 3
    assert all(counts), form["proof"]
    assert sum(int(each[1].replace(",", "")) for each in counts if each) >= OBJECTS


def test_every_step_was_killed_once_and_so_was_the_roll_back(form: RehearsalForm) -> None:
    killed = [kill["step"] for kill in form["kills"]]
    assert sorted(killed) == sorted([*NAMES, "rollback of freeze"])
    assert any(kill["inside"] for kill in form["kills"])


def test_a_bit_that_was_changed_at_the_target_was_named(form: RehearsalForm) -> None:
    assert form["flipped"].endswith("/weights.txt")


def test_writes_during_the_freeze_were_refused(form: RehearsalForm) -> None:
    assert set(form["refused"]) == {"object", "run", "schedule", "queue"}
    assert form["refused"]["object"] == "AccessDenied"
    assert form["refused"]["run"] == "read-only transaction"
    assert form["refused"]["schedule"] == "enabled False"
    assert form["refused"]["queue"].startswith("stopPolicy Hold")


def test_every_tracked_artifact_opens_from_the_new_side(form: RehearsalForm) -> None:
    assert form["opened"] == TRACKED
