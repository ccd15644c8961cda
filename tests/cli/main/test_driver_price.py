"""`atoll price`: old, new and change of each resource, and files that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import hand_built
import jsonschema
import pytest
from command_project import Atoll, valid

from cli.commands.checklist.schema import schema
from cli.terminal.console import show
from cli.views.price import changes, price_parts
from planning.costs.bill import BillGroup, LineItem
from planning.costs.resources.stack_cost import ResourceCost, StackCost
from planning.quoting.price_report import PriceReport
from planning.spec.lock_content import State


def taken(name: str, *lines: LineItem, state: State = State.PRICED) -> ResourceCost:
    return ResourceCost(urn=f"urn:pulumi:demo::atoll::aws:x/y:Z::{name}", type="aws:x/y:Z", state=state, lines=lines)


def nodes(usd: str) -> LineItem:
    return hand_built.line("pool/train/machine", BillGroup.COMPUTE, usd=usd)


def report() -> PriceReport:
    same = taken("nat", hand_built.line("network/nat_gateway", BillGroup.NETWORK, usd="0.045"))
    egress = taken("queue", hand_built.unpriced("queue/requests", BillGroup.NETWORK), state=State.UNPRICED)
    free = taken("role", state=State.FREE)
    old = StackCost((taken("train", nodes("2")), same, taken("disk", nodes("1")), free))
    new = StackCost((taken("train", nodes("24.5")), same, egress, free))
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


def nat(*, price: bool = True) -> dict[str, object]:
    """A NAT gateway of 32.85 USD a month; with `price` False, in a region that no book knows."""
    region = "us-east-1" if price else "mars-north-1"
    provider = {
        "urn": "urn:pulumi:demo::p::pulumi:providers:aws::default",
        "type": "pulumi:providers:aws",
        "custom": True,
        "id": "1",
        "inputs": {"region": region},
    }
    gateway = {
        "urn": "urn:pulumi:demo::p::aws:ec2/natGateway:NatGateway::n",
        "type": "aws:ec2/natGateway:NatGateway",
        "custom": True,
        "inputs": {},
        "provider": f"{provider['urn']}::1",
    }
    steps = [{"op": "create", "urn": each["urn"], "newState": each} for each in (provider, gateway)]
    return {"steps": steps, "changeSummary": {"create": 2}}


@pytest.mark.parametrize(
    ("document", "ceiling", "code", "said"),
    [
        (nat(), "33", 0, "within"),
        (nat(), "32.85", 0, "within"),
        (nat(), "32.84", 10, "over"),
        (nat(price=False), "33", 11, "undetermined"),
        ({**nat(), "changeSummary": {"create": 2, "same": 7}}, "33", 11, "--show-sames"),
        ({**nat(), "changeSummary": {"create": 2, "same": 7}}, "32", 10, "over"),
        ({**nat(), "diagnostics": [{"severity": "error", "message": "late"}]}, "33", 11, "ended with an error"),
        (nat(), "0", 2, "more than nothing"),
        (nat(), "-1", 2, "more than nothing"),
        (nat(), "1e3", 2, "not a number"),
        (nat(), "cheap", 2, "not a number"),
    ],
)
def test_any_preview_is_judged_by_a_ceiling(
    document: dict[str, object], ceiling: str, code: int, said: str, *, project: Path, atoll: Atoll
) -> None:
    (project / "p.json").write_text(json.dumps(document), encoding="utf-8")
    outcome = atoll("price", "p.json", "--ceiling", ceiling)
    assert outcome.code == code
    assert said in " ".join((outcome.out + outcome.err).split())
    if code in (0, 10, 11):
        form = valid("price", atoll("price", "p.json", "--ceiling", ceiling, "--json").out)
        assert form["judgement"]["verdict"] == {0: "within", 10: "over", 11: "undetermined"}[code]


@pytest.mark.parametrize("steps", [{}, {"steps": []}, {"steps": None}, {"changeSummary": {}}])
@pytest.mark.parametrize("options", [(), ("--ceiling", "1"), ("--json",)])
def test_a_failed_preview_has_no_price(
    steps: dict[str, object], options: tuple[str, ...], project: Path, atoll: Atoll
) -> None:
    said = [{"severity": "warning", "message": "hm"}, {"severity": "error", "message": "NameError:\n  bucket"}]
    (project / "p.json").write_text(json.dumps({"diagnostics": said, **steps}), encoding="utf-8")
    outcome = atoll("price", "p.json", *options)
    assert (outcome.code, outcome.out) == (1, "")
    assert "NameError: bucket" in outcome.err or "steps: not a list" in outcome.err


def test_an_empty_preview_that_worked_is_told_from_a_state(project: Path, atoll: Atoll) -> None:
    (project / "p.json").write_text(json.dumps({"steps": [], "changeSummary": {}}), encoding="utf-8")
    assert atoll("price", "p.json", "--ceiling", "1").code == 0
    (project / "s.json").write_text(json.dumps({"version": 3, "deployment": {"resources": []}}), encoding="utf-8")
    assert valid("price", atoll("price", "s.json", "--json").out)["old"] is None
