from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import START, XID_79, FakeCluster, node, node_pool, pod, scene, spare, spec, systems
from jsonschema import validate

from cli.commands.checklist import schema as checklist
from cli.commands.cluster_operations import nodes
from cli.main import application
from components.context import hardware
from components.context.hardware import BURN_IN_TAINT, labels
from components.platform.building_blocks import names
from operations.nodes import health
from operations.nodes import kubernetes_cluster as live
from operations.project.lease import only_writer
from planning.incidents import node as marks
from planning.incidents import spares
from planning.incidents.node import Condition
from planning.incidents.pods import PodDisruptionBudget, matches

ROOT = Path(__file__).parents[3]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    """The stack "demo" in the working directory, and its cluster."""
    found = FakeCluster(
        all=[*systems(), node("t-0", XID_79), node("t-1"), spare("t-9"), node("theirs", pool="their-pool")],
        pods={"t-0": [pod("job")]},
        told="Prometheus was not reached",
    )
    home = tmp_path / "stacks" / "demo"
    home.mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n")
    (home / "checklist.yaml").write_text("{}\n")
    monkeypatch.chdir(tmp_path)

    def made(_stack: str, *, placement: str = "") -> Any:
        assert placement in {"", "home"}
        return scene(home, spec(target="existing", provider="lambda", repair="none"))

    monkeypatch.setattr(health, "read_context", made)
    monkeypatch.setattr(live, "open_node_api", lambda _spec: found)
    monkeypatch.setattr(nodes, "utc_now", lambda: START)
    return found


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = application.run(["nodes", *words])
    told = capsys.readouterr()
    return code, told.out, told.err


def document(of: str, text: str) -> Any:
    form = json.loads(text)
    validate(form, checklist.schema(of))
    return form


def test_every_node_is_listed_with_what_is_wrong(cluster: FakeCluster, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shown(capsys, "list", "demo")
    assert code == 0
    for words in ("t-0", "failed", "Xid 79", "held", "passed", "theirs", "Prometheus was not reached"):
        assert words in out
    form = document("nodes", shown(capsys, "list", "demo", "--json")[1])
    assert [each["name"] for each in form["nodes"]] == ["sys-0", "sys-1", "t-0", "t-1", "t-9"]
    assert [each["standing"] for each in form["nodes"]] == ["well", "well", "failed", "well", "well"]
    assert form["strangers"] == ["theirs"]
    assert cluster.changes == []


def test_a_dry_run_says_every_step_and_touches_nothing(
    cluster: FakeCluster, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster.rules = [PodDisruptionBudget(namespace="team", name="b", selector={}, allowed=0)]
    code, out, _ = shown(capsys, "replace", "demo", "t-0", "--dry-run")
    assert code == 0
    for words in ("1. cordon", "2. spare: t-9", "3. drain: 1 pods", "disruption budget team/b", "a ticket is written"):
        assert words in out
    assert cluster.changes == []
    assert not (tmp_path / "stacks" / "demo" / "incidents.jsonl").exists()


def test_mending_asks_first_and_then_the_log_tells_it_all(
    cluster: FakeCluster, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _, err = shown(capsys, "replace", "demo", "t-0")
    assert (code, "--yes does not ask" in err, cluster.changes) == (1, True, [])
    code, _, err = shown(capsys, "replace", "demo", "t-0", "--yes")
    assert code == 0, err
    assert "spare t-9 took over" in err
    form = document("incidents", shown(capsys, "incidents", "demo", "--json")[1])
    (incident,) = form["incidents"]
    assert (incident["node"], incident["xids"], incident["spare"]) == ("t-0", [79], "t-9")
    assert "t-0" in shown(capsys, "incidents", "demo")[1]
    assert shown(capsys, "incidents", "demo", "--markdown", "there.md")[0] == 0
    assert f"| {incident['id']} | t-0 | 2026-11-22 09:00 |" in (tmp_path / "there.md").read_text()
    code, _, err = shown(capsys, "close", "demo", incident["id"], "--because", "given back")
    assert (code, "is closed" in err) == (0, True)
    assert shown(capsys, "close", "demo", incident["id"], "--because", "again")[0] == 1


def test_an_incident_that_is_over_ends_when_it_is_mended_again(
    cluster: FakeCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(capsys, "replace", "demo", "t-0", "--yes", "--keep")[0] == 0
    cluster.all = [each for each in cluster.all if each.name != "t-0"]
    cluster.all += [node("t-2"), node("t-3")]
    code, _, err = shown(capsys, "replace", "demo", "t-0", "--yes")
    assert code == 0, err
    assert "its machine is gone" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("replace", "demo", "t-00", "--yes"), 'did you mean "t-0"?'),
        (("replace", "demo", "theirs", "--yes"), "not of this stack"),
        (("replace", "demo", "t-1", "--yes"), "--because"),
        (("standby", "demo", "t-0"), "cannot be a spare"),
        (("close", "demo", "x", "--because", "y"), "there is no incident 'x'"),
    ],
)
def test_bad_input_is_told_and_nothing_is_touched(
    cluster: FakeCluster, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    code, _, err = shown(capsys, *words)
    assert (code, told in err) == (1, True), err
    assert "Traceback" not in err
    assert cluster.changes == []


def test_two_commands_at_once_are_one_too_many(
    cluster: FakeCluster, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "stacks" / "demo" / "incidents"
    folder.mkdir()
    with only_writer(folder, at=START):
        code, _, err = shown(capsys, "replace", "demo", "t-0", "--yes")
    assert code == 1
    assert "a command about the nodes of demo is being run by process" in err
    assert cluster.changes == []


def test_watching_once_tells_by_its_exit_code_and_cordons_only_when_asked(
    cluster: FakeCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = shown(capsys, "watch", "demo", "--once")
    assert (code, "t-0 of train is failed" in err, cluster.changes) == (1, True, [])
    code, _, err = shown(capsys, "watch", "demo", "--once", "--cordon")
    assert (code, "t-0 is cordoned" in err, cluster.node("t-0").cordoned) == (1, True, True)
    cluster.all = [*systems(), node("t-0", Condition(type="Ready", status="Unknown"))]
    code, _, err = shown(capsys, "watch", "demo", "--once", "--cordon")
    assert (code, "said, not cordoned" in err, cluster.node("t-0").cordoned) == (11, True, False)
    cluster.all = systems()
    assert shown(capsys, "watch", "demo", "--once")[0] == 0


def test_a_spare_is_held(cluster: FakeCluster, capsys: pytest.CaptureFixture[str]) -> None:
    cluster.all = [*systems(), node("t-1")]
    code, _, err = shown(capsys, "hold", "demo", "t-1")
    assert (code, "held back as a spare of train" in err) == (0, True)


def test_prometheus_and_spines_are_those_of_our_platform() -> None:
    service, namespace, *_ = names.PROMETHEUS.removeprefix("http://").split(".")
    assert f"/namespaces/{namespace}/services/{service}:9090/proxy/" in live.PROMETHEUS
    assert spares.JOINED == hardware.JOINED
    assert (BURN_IN_TAINT, pool_label()) == (marks.BURN_IN, marks.POOL)


def pool_label() -> str:
    return next(name for name in labels(node_pool()) if name.endswith("/pool"))


def test_xids_are_read_by_the_node_that_the_exporter_names() -> None:
    told: dict[str, Any] = {
        "data": {
            "result": [
                {"metric": {"Hostname": "t-0", "gpu": "1"}, "value": [1, "79"]},
                {"metric": {"Hostname": "t-0", "gpu": "2"}, "value": [1, "48"]},
                {"metric": {}, "value": [1, "79"]},
                {"metric": {"Hostname": "t-1"}, "value": [1, "NaN"]},
            ]
        }
    }
    assert live.by_node(told) == {"t-0": (79, 48)}
    assert live.by_node({}) == {}


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ({"key": "a", "operator": "In", "values": ["1", "2"]}, True),
        ({"key": "a", "operator": "NotIn", "values": ["1"]}, False),
        ({"key": "b", "operator": "DoesNotExist"}, True),
        ({"key": "b", "operator": "Exists"}, False),
        ({"key": "a", "operator": "Gt", "values": ["0"]}, False),
    ],
)
def test_a_budget_selects_as_kubernetes_does(rule: dict[str, Any], *, fits: bool) -> None:
    assert matches({"matchExpressions": [rule]}, {"a": "1"}) is fits
    assert matches({}, {"a": "1"})


def test_the_lock_and_the_checklist_say_what_is_looked_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "stacks" / "existing-lambda"
    home.mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n")
    asked = (ROOT / "stacks" / "existing-lambda" / "checklist.yaml").read_text()
    (home / "checklist.yaml").write_text(asked + "\nagreement:\n  replace_within_hours: 6\n")
    monkeypatch.chdir(tmp_path)
    assert application.run(["accept", "existing-lambda", "cheapest", "--today", "2026-11-21"]) in {0, 11}
    found = health.read_context("existing-lambda")
    assert (found.replace_within_hours, found.levels, found.eks) == (6, (), "atoll-existing-lambda")
    assert set(found.pools) == {each.name for each in found.spec.pools}
    monkeypatch.delenv(found.spec.existing.kubeconfig_env if found.spec.existing else "", raising=False)
    capsys.readouterr()
    assert application.run(["nodes", "list", "existing-lambda"]) == 1
    assert "is not set" in capsys.readouterr().err
    assert application.run(["nodes", "list", "existing-lambda", "--placement", "moon"]) == 1
    assert "the lock has no placement 'moon'; it has: home" in capsys.readouterr().err


def test_the_incidents_of_a_stack_need_no_cluster_and_no_sdk(tmp_path: Path) -> None:
    home = tmp_path / "stacks" / "demo"
    home.mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n")
    (home / "checklist.yaml").write_text("{}\n")
    program = (
        "import sys; from cli.main import application; code = application.run(['nodes', 'incidents', 'demo']);"
        "print(sorted({'kubernetes', 'boto3', 'pulumi'} & set(sys.modules))); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "No node of demo has failed, as far as the log tells.\n[]\n"
