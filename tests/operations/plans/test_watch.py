from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_project import Atoll, valid
from engine_fakes import FakeStack

from cli.pages import watch
from planning.costs.resources.formats.file import read
from planning.costs.resources.formats.values import BLINDED
from planning.costs.resources.resource import Resource, Secret, UnknownValue, Value
from planning.spec.lock import parse, to_text

TODAY = "2026-11-21"
_EXPORTED: list[str] = []
PASSWORD = "correct-horse-battery"


@pytest.fixture
def running(atoll: Atoll, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stack that runs as it was accepted, its state beside it."""
    monkeypatch.setenv("ATOLL_TODAY", TODAY)
    assert atoll("accept", "demo", "cheapest").code == 0
    (project / "stacks" / "__main__.py").symlink_to(Path(__file__).parents[3] / "stacks" / "__main__.py")
    state = project / "states" / "demo.json"
    state.parent.mkdir()
    if not _EXPORTED:  # one run of the program for all tests: it is the same in each
        _EXPORTED.append(json.dumps(exported(project)))
    state.write_text(_EXPORTED[0], encoding="utf-8")
    return state


def exported(project: Path) -> dict[str, Any]:
    """What `pulumi stack export` says once everything of the offline run is built."""
    from operations.offline.plan_json import to_json
    from operations.offline.program import run

    plan = {"stack": "demo", "resources": to_json(run("demo", root=project).resources)}
    resources = read(json.dumps(plan).encode(), file="plan.json").new
    root = "urn:pulumi:demo::atoll::pulumi:pulumi:Stack::atoll-demo"
    states = [{"urn": root, "type": "pulumi:pulumi:Stack", "custom": False}]
    return {"version": 3, "deployment": {"resources": states + [_state(each, root) for each in resources]}}


def _state(each: Resource, root: str) -> dict[str, Any]:
    is_foreign = not each.custom and not each.type.startswith("atoll:")
    return {
        "urn": each.urn,
        "type": each.type,
        "custom": each.custom,
        "parent": each.parent or root,
        "inputs": {} if is_foreign else {name: _value(value) for name, value in each.inputs.items()},
        "outputs": {"password": PASSWORD},
        "dependencies": [*each.dependencies],
        "propertyDependencies": {name: [*urns] for name, urns in each.property_dependencies.items()},
        "protect": each.protect,
        "retainOnDelete": each.retain_on_delete,
        **({"id": "made"} if each.custom else {}),
        **({"provider": f"{each.provider}::made"} if each.provider else {}),
    }


def _value(value: Value) -> Any:
    match value:
        case UnknownValue():
            return "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
        case Secret():
            return BLINDED
        case list():
            return [_value(each) for each in value]
        case dict():
            return {name: _value(each) for name, each in value.items()}
        case _:
            return value


def watched(atoll: Atoll, *words: str) -> tuple[int, Any]:
    done = atoll("watch", *words, "--json")
    return done.code, valid("watch", done.out)


def test_what_runs_as_accepted_moves_nothing(atoll: Atoll, running: Path) -> None:
    code, form = watched(atoll, "demo", "--state", str(running))
    (stack,) = form["stacks"]
    assert [each["sentence"] for each in stack["breaches"] if each["stops"]] == []
    assert code == form["exit_code"] == 0
    assert stack["by_prices"]["usd_per_month"]["expected"] == "0.00"
    assert stack["differences"] == []
    assert stack["accepted"]["usd_per_month"]["expected"] == stack["running"]["usd_per_month"]["expected"]


def test_without_a_file_the_engine_is_asked(atoll: Atoll, running: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeStack(states=[json.loads(running.read_text())["deployment"]["resources"]])
    monkeypatch.setattr("operations.engine.session.open_stack", lambda *_, **__: engine.opened())
    assert watched(atoll, "demo") == watched(atoll, "demo", "--state", str(running))


def test_what_a_state_does_not_hold_is_said(atoll: Atoll, running: Path) -> None:
    _, form = watched(atoll, "demo", "--state", str(running))
    assert any("a state does not hold their inputs" in note for note in form["stacks"][0]["notes"])


def test_prices_that_moved_are_split_from_resources_that_did(atoll: Atoll, running: Path, project: Path) -> None:
    path = project / "stacks" / "demo" / "quote.lock.json"
    lock = parse(path.read_text(), file="lock")
    cheaper = tuple(
        line.model_copy(update={"usd_per_month": tuple(usd / 2 for usd in line.usd_per_month), "usd_per_unit": half})
        if line.usd_per_month and line.usd_per_unit and (half := line.usd_per_unit / 2)
        else line
        for line in lock.bill
    )
    path.write_text(to_text(lock.model_copy(update={"bill": cheaper})), encoding="utf-8")
    _, form = watched(atoll, "demo", "--state", str(running))
    (stack,) = form["stacks"]
    assert float(stack["by_prices"]["usd_per_month"]["expected"]) > 0
    assert stack["by_resources"]["usd_per_month"]["expected"] == "0.00"
    assert stack["moved_prices"]


def test_more_machines_than_accepted_are_a_difference(atoll: Atoll, running: Path) -> None:
    document = json.loads(running.read_text())
    rows = document["deployment"]["resources"]
    disk = {"size": 4000, "type": "gp3", "availabilityZone": "us-east-1a"}
    urn = "urn:pulumi:demo::atoll::aws:ebs/volume:Volume::by-hand"
    rows.append({"urn": urn, "type": "aws:ebs/volume:Volume", "custom": True, "id": "vol-1", "inputs": disk})
    running.write_text(json.dumps(document))
    code, form = watched(atoll, "demo", "--state", str(running))
    assert code == 1
    assert "the accepted cluster does not have it" in {each["reason"] for each in form["stacks"][0]["differences"]}


def test_a_ceiling_under_what_runs_ends_with_ten(atoll: Atoll, running: Path, project: Path) -> None:
    path = project / "stacks" / "demo" / "quote.lock.json"
    lock = parse(path.read_text(), file="lock")
    low = lock.ceiling.model_copy(update={"usd_per_month": lock.bill[0].usd_per_month[1] / 100})
    path.write_text(to_text(lock.model_copy(update={"ceiling": low})), encoding="utf-8")
    assert watched(atoll, "demo", "--state", str(running))[0] == 10


def test_a_folder_of_states_is_looked_at_whole_and_one_bad_file_hides_no_other(atoll: Atoll, running: Path) -> None:
    (running.parent / "gone.json").write_text("{}", encoding="utf-8")
    code, form = watched(atoll, "--states", str(running.parent))
    assert code == 1
    assert [(each["stack"], bool(each["failure"])) for each in form["stacks"]] == [("gone", True), ("demo", False)]


@pytest.mark.parametrize("resources", [[], [{"urn": "urn:pulumi:other::atoll::aws:s3/bucket:Bucket::x", "type": "x"}]])
def test_an_empty_or_foreign_state_is_no_pass(atoll: Atoll, running: Path, resources: list[Any]) -> None:
    running.write_text(json.dumps({"version": 3, "deployment": {"resources": resources}}), encoding="utf-8")
    code, form = watched(atoll, "demo", "--state", str(running))
    assert code == 1
    assert form["stacks"][0]["failure"]


def test_a_plan_is_not_taken_for_what_runs(atoll: Atoll, running: Path) -> None:
    running.write_text(json.dumps({"stack": "demo", "resources": []}), encoding="utf-8")
    code, form = watched(atoll, "demo", "--state", str(running))
    assert code == 1
    assert "is no exported state" in form["stacks"][0]["failure"]


def test_an_empty_folder_is_no_pass(atoll: Atoll, project: Path) -> None:
    (project / "states").mkdir()
    done = atoll("watch", "--states", "states")
    assert done.code == 1
    assert "holds no state" in done.err


def test_a_stack_and_a_folder_are_one_too_many(atoll: Atoll) -> None:
    assert atoll("watch").code == 2
    assert atoll("watch", "demo", "--states", ".").code == 2


def test_the_issue_has_its_marker_and_no_value_of_the_state(atoll: Atoll, running: Path, project: Path) -> None:
    issue = project / "issue.md"
    done = atoll("watch", "demo", "--state", str(running), "--markdown", str(issue))
    text = issue.read_text()
    assert text.startswith(f"{watch.MARKER}\n## Atoll: ")
    assert len(text) <= watch.LIMIT
    for said in (text, done.out, done.err):
        assert PASSWORD not in said


def test_an_issue_on_two_hundred_stacks_fits_and_is_escaped(atoll: Atoll, running: Path) -> None:
    _, form = watched(atoll, "demo", "--state", str(running))
    noisy: Any = {**form["stacks"][0], "failure": "<img src=x> @acme/ops #1 " * 40, "verdict": None, "stack": "@x|y"}
    many: Any = {**form, "stacks": [noisy] * 200}
    text = watch.text(many)
    assert len(text) <= watch.LIMIT
    assert "<img" not in text
    assert "@acme" not in text
    assert "`atoll watch --json` gives the whole" in text
