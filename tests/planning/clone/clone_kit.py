"""What tests of clones share: the real price book, the examples, and the command in a project of its own."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from cli.main import application
from operations.plans.price_book import price_book
from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.checklist_file import read_file
from planning.clone.addresses import ReservedNetwork
from planning.clone.decisions.decision import CloneDecision, Need
from planning.clone.decisions.open_decisions import decisions
from planning.clone.target import Target, TargetMarket, read_target_market
from planning.clone.transformation import transform_checklist
from planning.quoting.candidates.market import Market

ROOT = Path(__file__).parents[3]
STACKS = ROOT / "stacks"
CLONED = "# A clone of "  # how a clone's checklist begins: somebody may have made one beside the examples
EXAMPLES = tuple(
    sorted(
        path.parent.name
        for path in STACKS.glob("*/checklist.yaml")
        if not path.read_text(encoding="utf-8").startswith(CLONED)
    )
)
HARMLESS = {
    "where.domain": "other.example.org",
    "where.residency": "any",
    "where.excluded": "drop",
    "where.existing": "OTHER_KUBECONFIG/prod",
    "access.sso.client_id": "keep",
    "access.ssh": "false",
    "platform.object_store": "minio",
}


@cache
def market() -> Market:
    return Market(price_book("current"))


@cache
def ground_at(provider: str, region: str) -> TargetMarket:
    return read_target_market(market(), Target(provider=provider, region=region))


@cache
def example(name: str) -> Checklist:
    return read_file(STACKS / name / "checklist.yaml")


def open_at(checklist: Checklist, provider: str, region: str, *, source: str = "aws") -> tuple[CloneDecision, ...]:
    target = Target(provider=provider, region=region)
    return decisions(checklist, source=source, target=target, ground=ground_at(provider, region))


def harmless(found: tuple[CloneDecision, ...]) -> dict[str, str]:
    return {each.path: _harmless(each) for each in found if each.need is Need.NEEDED}


def _harmless(each: CloneDecision) -> str:
    """An answer that goes; a name or a cluster is never the one that is there."""
    answer = HARMLESS.get(each.path, "none")
    return answer.replace("other", "another").replace("OTHER", "ANOTHER") if answer == each.old else answer


def moved(checklist: Checklist, provider: str, region: str, *, taken: tuple[ReservedNetwork, ...] = ()) -> Checklist:
    found = open_at(checklist, provider, region)
    target = Target(provider=provider, region=region)
    return transform_checklist(checklist, target=target, decisions=found, answers=harmless(found), taken=taken)


@dataclass(frozen=True)
class Told:
    """What one command line led to."""

    code: int
    out: str
    err: str


def files_of(project: Path) -> dict[str, bytes]:
    return {str(path.relative_to(project)): path.read_bytes() for path in project.rglob("*") if path.is_file()}


def project_at(folder: Path, *names: str) -> Path:
    """A project with the program and some of the examples."""
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    for name in ("__main__.py", "__init__.py"):
        (folder / "stacks").mkdir(exist_ok=True)
        shutil.copy(STACKS / name, folder / "stacks")
    for name in names:
        (folder / "stacks" / name).mkdir()
        shutil.copy(STACKS / name / "checklist.yaml", folder / "stacks" / name)
    return folder


def enter(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the project, with `clone` among the commands."""
    monkeypatch.chdir(project)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("ATOLL_DEBUG", raising=False)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> Told:
    capsys.readouterr()
    code = application.run(arguments)
    captured = capsys.readouterr()
    return Told(code, captured.out, captured.err)
