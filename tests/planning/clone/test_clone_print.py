"""What a person sees of a clone at 100 columns: the most important first, and one sentence for what has no price."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from clone_kit import Told, call, enter, project_at

from cli.commands.relocation import clone as command
from cli.main import application
from planning.costs.resources.resource import Resource
from planning.spec.lock import read_lock

FIXED = ("--allow-stale", "--today", "2026-11-21")
CONFIG = """\
secretsprovider: awskms://alias/atoll?region=us-east-1
config:
  atoll:accepted: OPTION
  atoll:alertReceiver:
    secure: v1:sourcesecret
"""
KEY = "awskms://alias/west?region=us-west-2"


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = project_at(tmp_path_factory.mktemp("print"), "demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert application.run(["accept", "demo", "cheapest", *FIXED]) == 0
    return folder


@pytest.fixture
def project(accepted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = Path(shutil.copytree(accepted, tmp_path / "project"))
    enter(folder, monkeypatch)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(command, "preview_resources", nothing_registered)
    return folder


def nothing_registered(stack: str, **_: object) -> tuple[Resource, ...]:
    assert stack
    return ()


def west(capsys: pytest.CaptureFixture[str], *more: str) -> Told:
    told = call(capsys, "clone", "demo", "west", "--region", "us-west-2", *more, *FIXED)
    assert told.code == 0, told.err
    return told


@pytest.mark.usefixtures("project")
def test_the_first_lines_say_where_to_for_how_much_and_what_to_look_at(capsys: pytest.CaptureFixture[str]) -> None:
    told = west(capsys, "--dry-run")
    lines = told.out.splitlines()
    assert lines[0] == "west, a clone of demo: aws us-east-1 → aws us-west-2"
    words = [line.split()[0] for line in lines[1:6]]
    assert words[:4] == ["option", "USD", "change", "no"]
    first = " ".join(" ".join(lines[:16]).split())
    assert "1 line of the bill, " in first
    assert "the price book has no price for it" in first
    assert "30,000.00 USD a month: undetermined while 1 line of the bill has no price" in first
    assert "Look at these first: - assumed, as it was not decided: contract.months: keep" in first
    assert "other accelerators: pool notebooks L40S-PCIe-48GB → A100-SXM-40GB" in first
    assert max(map(len, lines)) <= 100


@pytest.mark.usefixtures("project")
def test_what_has_no_price_is_explained_once_and_listed_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    out = west(capsys, "--dry-run").out
    assert " ".join(out.split()).count("the price book has no price for it") == 1
    listed = out.partition("Priced on one side only")[2].partition("What differs")[0]
    assert sum(line.endswith("no price") for line in listed.splitlines()) == 1


@pytest.mark.usefixtures("project")
def test_no_vpn_of_the_project_is_the_clones(capsys: pytest.CaptureFixture[str]) -> None:
    out = west(capsys, "--dry-run").out
    row = next(line for line in out.splitlines() if "home: VPN gateway" in line)
    assert row.split("→")[0].strip().endswith("172.27.0.0/16")
    assert row.endswith("10.251.0.0/16")


def test_secrets_are_set_in_a_stack_that_is_made_with_the_clones_own_key(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    option = json.loads((project / "stacks/demo/quote.lock.json").read_text())["option"]
    (project / "stacks/Pulumi.demo.yaml").write_text(CONFIG.replace("OPTION", option))
    decided = project / "d.yaml"
    decided.write_text(f"secretsprovider: {KEY}\n")
    out = west(capsys, "--dry-run", "--decisions", str(decided)).out
    made, told = f"pulumi stack init west --secrets-provider '{KEY}'", "pulumi config set --secret --stack west"
    assert out.index(made) < out.index(f"{told} atoll:alertReceiver")
    assert "strikes the key out of Pulumi.west.yaml" in out
    decided.write_text("secretsprovider: default\n")
    out = west(capsys, "--dry-run", "--decisions", str(decided)).out
    assert "  pulumi stack init west\n" in out
    decided.write_text("secretsprovider: passphrase\n")
    out = west(capsys, "--dry-run", "--decisions", str(decided)).out
    assert "  pulumi stack init west --secrets-provider passphrase\n" in out


def test_a_clone_of_a_clone_and_back_again_share_no_address(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    west(capsys)
    told = call(capsys, "clone", "west", "gulf", "--provider", "gcp", "--region", "us-central1", *FIXED)
    assert told.code == 0, told.err
    told = call(capsys, "clone", "gulf", "home", "--region", "us-east-1", "--provider", "aws", *FIXED)
    assert told.code == 0, told.err
    text = (project / "stacks/home/checklist.yaml").read_text()
    headings = [line for line in text.splitlines() if line.startswith("# A clone of")]
    assert len(headings) == 1, headings
    assert headings[0].startswith("# A clone of gulf at aws us-east-1")
    specs = [read_lock(project / f"stacks/{name}/quote.lock.json").spec for name in ("demo", "west", "gulf", "home")]
    ranges = [each for spec in specs for each in (spec.network.cidr, spec.vpn.cidr if spec.vpn else None) if each]
    assert len(ranges) == 8
    assert not any(one.overlaps(other) for at, one in enumerate(ranges) for other in ranges[:at])
