"""`atoll price`: old, new and change of each resource, and files that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import hand_built
import jsonschema
import pytest
from conftest import Atoll, valid

from driver.render.price import changes, price_parts
from driver.schemas import schema
from driver.screen import show
from planning.bill import Group, LineItem, State
from planning.price_report import PriceReport
from planning.takeoff.takeoff import Taken, TakeOff


def taken(name: str, *lines: LineItem, state: State = State.PRICED) -> Taken:
    return Taken(urn=f"urn:pulumi:demo::atoll::aws:x/y:Z::{name}", type="aws:x/y:Z", state=state, lines=lines)


def nodes(usd: str) -> LineItem:
    return hand_built.line("pool/train/machine", Group.COMPUTE, usd=usd)


def report() -> PriceReport:
    same = taken("nat", hand_built.line("network/nat_gateway", Group.NETWORK, usd="0.045"))
    egress = taken("queue", hand_built.unpriced("queue/requests", Group.NETWORK), state=State.UNPRICED)
    free = taken("role", state=State.FREE)
    old = TakeOff((taken("train", nodes("2")), same, taken("disk", nodes("1")), free))
    new = TakeOff((taken("train", nodes("24.5")), same, egress, free))
    return PriceReport(stack="demo", old=old, new=new, notes=("3 unchanged resources are not in this preview",))


def test_old_new_and_change_of_each_resource(
    golden: Callable[[str, str], None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    show(*price_parts(report()))
    golden("price.txt", capsys.readouterr().out)


def test_what_changes_most_comes_first() -> None:
    found = changes(report())
    assert [each.name for each in found] == ["train", "disk", "nat", "queue", "role"]
    assert [each.delta for each in found[:3]] == [Decimal("16425.0"), Decimal(-730), Decimal(0)]


def test_the_form_is_what_is_published() -> None:
    jsonschema.validate(json.loads(json.dumps(report().as_json())), schema("price"))


def test_an_exported_stack_is_priced(project: Path, atoll: Atoll) -> None:
    bucket = {"urn": "urn:pulumi:demo::p::aws:ec2/natGateway:NatGateway::n", "type": "aws:ec2/natGateway:NatGateway"}
    provider = {
        "urn": "urn:pulumi:demo::p::pulumi:providers:aws::default",
        "type": "pulumi:providers:aws",
        "custom": True,
        "id": "1",
        "inputs": {"region": "us-east-1"},
    }
    resources = [provider, {**bucket, "custom": True, "inputs": {}, "provider": f"{provider['urn']}::1"}]
    (project / "s.json").write_text(
        json.dumps({"version": 3, "deployment": {"resources": resources}}), encoding="utf-8"
    )
    form = valid("price", atoll("price", "s.json", "--json").out)
    assert form["old"] is None
    assert form["new"]["usd_per_month"]["expected"] == "32.85"
    assert "old" not in atoll("price", "s.json").out


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe\x00", b'{"steps": 1}', b"[" * 100_000])
def test_a_file_that_is_none_of_these_is_refused(content: bytes, project: Path, atoll: Atoll) -> None:
    (project / "x.json").write_bytes(content)
    outcome = atoll("price", "x.json")
    assert outcome.code == 1
    assert "bug in Atoll" not in outcome.err
    assert "Traceback" not in outcome.err


def test_a_missing_file_is_refused(atoll: Atoll) -> None:
    outcome = atoll("price", "nowhere.json")
    assert outcome.code == 1
    assert "nowhere.json" in outcome.err
