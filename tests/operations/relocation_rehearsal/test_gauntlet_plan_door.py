"""What a relocation cannot be, at the door: `atoll relocate plan` says every reason, ends with 1 and writes nothing."""

from __future__ import annotations

from datetime import date
from functools import cache
from ipaddress import IPv4Network
from pathlib import Path

import pytest
from locked_stack import write_locked

from cli.main import application
from operations.offline import program
from operations.plans.quote import option_named, quote_subject
from operations.project.workspace import StackRef
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.spec.lock import Lock

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "relocation"
TODAY = date(2026, 11, 21)


@cache
def locked(name: str) -> Lock:
    subject = StackRef(stack="atlas" if name == "source" else f"atlas-{name}", checklist=EXAMPLE / f"{name}.yaml")
    answer = quote_subject(subject, book="current", own="", today=TODAY, allow_stale=True)
    return lock(
        answer.quote,
        option_named(answer.quote, "cheapest"),
        ceiling=ceilings(answer.checklist),
        contract_months=answer.checklist.contract.months,
        residency=answer.checklist.where.residency,
    )


def nothing_registered(*_: object, **__: object) -> program.OfflineRun:
    return program.OfflineRun(resources=(), outputs={})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATOLL_KUBECONFIG", raising=False)
    monkeypatch.setattr(program, "run", nothing_registered)
    accept(tmp_path, locked("source"))
    return tmp_path


def accept(project: Path, found: Lock) -> None:
    path = write_locked(project, found)
    path.with_name("checklist.yaml").write_text("customer: {}\n", encoding="utf-8")


def refused(project: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    before = sorted(project.rglob("*"))
    capsys.readouterr()
    code = application.run(
        ["relocate", "plan", "atlas", "atlas-west", "--today", "2026-11-21", "--json", "plan.json", *more]
    )
    said = capsys.readouterr()
    assert code == 1, said.out
    assert said.out == ""
    assert "Traceback" not in said.err
    assert sorted(project.rglob("*")) == before
    return " ".join(said.err.split())


def test_ranges_that_overlap_and_a_tier_that_is_missing_are_told_together(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    west = locked("west")
    network = west.spec.network.model_copy(update={"cidr": IPv4Network("10.64.128.0/17")})
    spec = west.spec.model_copy(update={"network": network, "storage": ()})
    accept(project, west.model_copy(update={"placements": (spec, *west.placements[1:])}))
    said = refused(project, capsys)
    assert "10.64.0.0/16 overlaps the target's network 10.64.128.0/17" in said
    assert "the target has no cold tier, and the source keeps 50,000 GB there" in said


def test_a_target_that_is_too_small_is_told_by_what_would_come(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(project, locked("west"))
    measured = project / "volumes.yaml"
    measured.write_text("things: {database/mlflow: {size: 900GB}, store/mlflow: {size: 2TB}}\n", encoding="utf-8")
    said = refused(project, capsys, "--volumes", str(measured))
    assert "target too small: MLflow has 40 GB of disks, and 900 GB would come" in said
    assert "target too small: the drives of MinIO hold 150 GB, and 2,000 GB would come" in said


def test_a_target_whose_region_sold_nothing_has_no_lock_and_is_not_planned(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project / "stacks" / "atlas-west"
    folder.mkdir()
    (folder / "checklist.yaml").write_text("customer: {}\n", encoding="utf-8")
    said = refused(project, capsys)
    assert "atlas cannot be relocated to atlas-west: not accepted" in said
    assert "there is no lock yet" in said
