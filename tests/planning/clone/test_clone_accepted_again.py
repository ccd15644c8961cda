"""`atoll accept` on a clone: what only its lock says stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from clone_kit import call, enter, project_at

from cli.commands.relocation import clone as command
from cli.main import application
from planning.costs.resources.resource import Resource
from planning.spec.lock import read_lock

FIXED = ("--allow-stale", "--today", "2026-11-21")


def nothing_registered(stack: str, **_: object) -> tuple[Resource, ...]:
    assert stack
    return ()


def test_zones_and_the_vpn_range_outlast_another_accept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project_at(tmp_path, "demo")
    enter(folder, monkeypatch)
    monkeypatch.setattr(command, "preview_resources", nothing_registered)
    assert application.run(["accept", "demo", "cheapest", *FIXED]) == 0
    place = ("--region", "us-west-2", "--zones", "usw2-az3,usw2-az2")
    assert call(capsys, "clone", "demo", "west", *place, *FIXED).code == 0
    path = folder / "stacks/west/quote.lock.json"
    before = path.read_bytes()
    told = call(capsys, "accept", "west", "cheapest", *FIXED)
    assert told.code == 0
    assert "zones stay as they were accepted: usw2-az3, usw2-az2" in told.err
    assert "the VPN's range stays as it was accepted: 10.251.0.0/16" in told.err
    assert path.read_bytes() == before
    checklist = folder / "stacks/west/checklist.yaml"
    checklist.write_text(checklist.read_text().replace("count: 8", "count: 9"))
    assert call(capsys, "accept", "west", "cheapest", *FIXED).code == 0
    spec = read_lock(path).spec
    assert path.read_bytes() != before
    assert spec.placement.zones == ("usw2-az3", "usw2-az2")
    assert str(spec.vpn and spec.vpn.cidr) == "10.251.0.0/16"
