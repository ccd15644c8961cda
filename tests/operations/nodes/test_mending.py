from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import XID_79, Clock, FakeCluster, node, pod, scene, spare, spec, systems

from operations.clouds.kubernetes.objects import ClusterError
from operations.nodes import aws_instances, watch
from operations.nodes.health import MaintenanceContext, inspect_nodes
from operations.nodes.incident_log import IncidentLog, read_incidents
from operations.nodes.repair import RepairContext, RepairRequest, repair_node
from operations.nodes.repair_steps import DrainError
from operations.nodes.watch import CordonLimit, cordon_failed_nodes, report_unhealthy
from operations.project.journal import Journal, RecordKind
from planning.incidents.incident import Incident
from planning.incidents.node import Condition
from planning.incidents.pods import PodDisruptionBudget
from planning.spec.cluster import ClusterSpec
from planning.values.errors import InputError


class Killed(BaseException):
    """Stands for SIGKILL."""


@contextmanager
def work(
    folder: Path, cluster: FakeCluster, *, of: ClusterSpec | None = None, **changes: Any
) -> Iterator[RepairContext]:
    clock, says = Clock(), changes.pop("says", [])
    at = scene(
        folder, of or spec(target="existing", provider="lambda", repair="none"), hours=changes.pop("hours", None)
    )
    log = IncidentLog(at.folder, now=clock.now)
    try:
        yield RepairContext(scene=at, cluster=cluster, log=log, waiting=clock.waiting(**changes), say=says.append)
    finally:
        log.close()


def whole(*, pods: int = 2) -> FakeCluster:
    nodes = [*systems(), node("t-0", XID_79), node("t-1"), node("t-2"), spare("t-9")]
    return FakeCluster(all=nodes, pods={"t-0": [pod(f"job-{number}") for number in range(pods)]})


def mended(folder: Path, cluster: FakeCluster, *, asked: RepairRequest | None = None, **changes: Any) -> Incident:
    with work(folder, cluster, **changes) as tools:
        return repair_node(asked or RepairRequest(node="t-0"), tools)


def test_a_failed_node_is_emptied_a_spare_takes_over_and_a_ticket_lies_ready(tmp_path: Path) -> None:
    cluster = whole()
    incident = mended(tmp_path, cluster, grace_s=120, hours=Decimal(4))
    assert all(incident.did(step) for step in ("cordon", "drain", "spare", "replace"))
    assert (incident.spare, incident.xids, incident.open) == ("t-9", (79,), True)
    bad, taken = cluster.node("t-0"), cluster.node("t-9")
    assert (bad.cordoned, bad.incident) == (True, incident.id)
    assert (taken.cordoned, taken.held) == (False, False)
    assert cluster.pods["t-0"] == []
    assert cluster.graces == {"job-0": 120, "job-1": 120}
    text = (tmp_path / "incidents" / f"{incident.id}.md").read_text()
    for expected in (
        "| machine | i-742d30 |",
        "GPU-22222222-2222-2222-2222-222222222222",
        "| Xids | 79 |",
        "4 hours from this report",
        "2026-11-22 08:55:00",
        "spare t-9 took over",
        "charged while it is out of service",
    ):
        assert expected in text
    assert read_incidents(tmp_path) == (incident,)


def test_without_an_agreement_the_ticket_says_that_none_was_made(tmp_path: Path) -> None:
    incident = mended(tmp_path, whole())
    assert "not agreed" in (tmp_path / "incidents" / f"{incident.id}.md").read_text()


@pytest.mark.parametrize("step", range(9))
def test_killed_at_any_write_it_goes_on_and_takes_one_spare_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    cluster = whole()
    cluster.all.append(spare("t-99"))
    calls = iter(range(100))

    def dying(real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            found = real(*given, **named)
            if next(calls) == step:
                raise Killed
            return found

        return called

    with monkeypatch.context() as patched:
        patched.setattr(FakeCluster, "change", dying(FakeCluster.change))
        patched.setattr(FakeCluster, "evict", dying(FakeCluster.evict))
        patched.setattr(IncidentLog, "write", dying(IncidentLog.write))
        with pytest.raises(Killed):
            mended(tmp_path, cluster)
    incident = mended(tmp_path, cluster)
    assert len(read_incidents(tmp_path)) == 1
    assert incident.spare == "t-9"
    assert cluster.node("t-99").held
    assert all(incident.did(each) for each in ("cordon", "drain", "spare", "replace"))


def test_a_budget_that_blocks_is_named_and_the_next_run_goes_on(tmp_path: Path) -> None:
    cluster = whole()
    cluster.pods["t-0"] = [pod("job-0", labels={"app": "etl"}), pod("job-1")]
    cluster.rules = [
        PodDisruptionBudget(namespace="team", name="etl", selector={"matchLabels": {"app": "etl"}}, allowed=0)
    ]
    with pytest.raises(DrainError, match=r"team/job-0 \(disruption budget team/etl allows none to go\)"):
        mended(tmp_path, cluster)
    (incident,) = read_incidents(tmp_path)
    assert incident.did("cordon")
    assert not incident.did("drain")
    assert "team/etl" in incident.trouble
    assert not cluster.node("t-9").held, "what waits for a budget needs the room of the spare"
    cluster.rules = []
    assert mended(tmp_path, cluster).did("replace")
    assert [each.trouble for each in read_incidents(tmp_path)] == [""]


def test_a_pod_that_does_not_end_is_named_with_its_own_grace(tmp_path: Path) -> None:
    cluster = whole(pods=1)
    cluster.stuck = True
    with pytest.raises(DrainError, match=r"job-0 \(it is ending, and was given 30 s"):
        mended(tmp_path, cluster)


def test_a_silent_kubelet_is_not_waited_for(tmp_path: Path) -> None:
    cluster = whole(pods=1)
    cluster.stuck = True
    cluster.all[2] = node("t-0", Condition(type="Ready", status="Unknown"))
    with pytest.raises(InputError, match="its kubelet is silent"):
        mended(tmp_path, cluster)
    assert mended(tmp_path, cluster, asked=RepairRequest(node="t-0", because="power is off in the rack")).did("drain")


def test_a_pod_that_nothing_starts_again_needs_force(tmp_path: Path) -> None:
    cluster = whole()
    cluster.pods["t-0"] = [replace(pod("mine"), owner="")]
    with pytest.raises(DrainError, match="team/mine"):
        mended(tmp_path, cluster)
    mended(tmp_path, cluster, asked=RepairRequest(node="t-0", force=True))
    assert cluster.pods["t-0"] == []


def test_what_a_daemon_set_the_kubelet_or_a_finished_job_left_does_not_hinder(tmp_path: Path) -> None:
    cluster = whole()
    cluster.pods["t-0"] = [
        replace(pod("agent"), owner="DaemonSet"),
        replace(pod("static"), owner="Node", mirror=True),
        replace(pod("done"), phase="Succeeded"),
    ]
    assert mended(tmp_path, cluster).did("drain")
    assert cluster.graces == {}


@pytest.mark.parametrize(
    ("name", "told", "hint"),
    [
        ("t-7", "there is no node 't-7'", "did you mean"),
        ("theirs", "not of this stack", "leaves alone"),
        ("t-1", "nothing is known to be wrong", "--because"),
    ],
)
def test_what_is_not_ours_or_not_broken_is_left_alone(tmp_path: Path, name: str, told: str, hint: str) -> None:
    cluster = whole()
    cluster.all.append(node("theirs", XID_79, pool="other-pool"))
    with pytest.raises(InputError, match=told) as refused:
        mended(tmp_path, cluster, asked=RepairRequest(node=name))
    assert hint in refused.value.hint
    assert cluster.changes == []
    assert read_incidents(tmp_path) == ()


def test_the_last_system_node_is_left_alone_even_when_asked_for(tmp_path: Path) -> None:
    cluster = whole()
    cluster.all[0] = replace(cluster.all[0], cordoned=True)
    with pytest.raises(InputError, match="last system node"):
        mended(tmp_path, cluster, asked=RepairRequest(node="sys-1", because="try"))
    assert cluster.changes == []


def test_somebody_else_s_incident_is_left_to_them(tmp_path: Path) -> None:
    cluster = whole()
    cluster.all[2] = replace(cluster.all[2], annotations={"atoll/incident": "20260101-3"})
    with pytest.raises(InputError, match="incident 20260101-3, which is not in this log"):
        mended(tmp_path, cluster)


def test_without_a_spare_it_goes_on_says_so_and_the_next_run_looks_again(tmp_path: Path) -> None:
    cluster = whole()
    cluster.all[-1] = spare("t-9", taints={"atoll/burn-in": "pending"})
    incident = mended(tmp_path, cluster)
    assert incident.did("replace")
    assert not incident.did("spare")
    cluster.all[-1] = spare("t-9")
    assert mended(tmp_path, cluster).spare == "t-9"


def test_a_kept_machine_is_not_replaced(tmp_path: Path) -> None:
    says: list[str] = []
    incident = mended(tmp_path, whole(), asked=RepairRequest(node="t-0", keep=True), says=says)
    assert not incident.did("replace")
    assert "stays" in says[-1]


def test_a_change_between_look_and_write_is_tried_again_and_a_refusal_is_written_down(tmp_path: Path) -> None:
    cluster = whole()
    cluster.clashes = 2
    assert mended(tmp_path, cluster).did("cordon")
    cluster = whole()
    cluster.refuses = "the cluster refused PATCH /api/v1/nodes/t-0: 403 Forbidden"
    with pytest.raises(ClusterError, match="403"):
        mended(tmp_path / "other", cluster)
    assert "403 Forbidden" in read_incidents(tmp_path / "other")[0].trouble


def test_an_edited_log_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    mended(tmp_path, whole())
    path = tmp_path / "incidents.jsonl"
    path.write_text(path.read_text().replace("Xid 79", "Xid 13", 1))
    cluster = whole()
    with pytest.raises(InputError, match="cannot be trusted") as refused:
        mended(tmp_path, cluster)
    assert "incidents.jsonl and incidents.head" in refused.value.faults[0].hint
    assert cluster.changes == []
    path.write_text("\n".join(path.read_text().splitlines()[:1]) + "\n")
    with pytest.raises(InputError):
        read_incidents(tmp_path)


@pytest.mark.parametrize(
    ("kind", "step", "content", "said"),
    [
        (RecordKind.OPENED, "", {"incident": 5}, "incident is no text"),
        (RecordKind.OPENED, "", {"node": ["t-0"]}, "node is no text"),
        (RecordKind.OPENED, "", {"xids": "79"}, "xids is no list of whole numbers"),
        (RecordKind.OPENED, "", {"xids": [79, "80"]}, "xids is no list of whole numbers"),
        (RecordKind.OPENED, "", {"xids": [True]}, "xids is no list of whole numbers"),
        (RecordKind.DONE, "rerack", {}, "'rerack' is no step of an incident"),
        (RecordKind.DONE, "", {}, "'' is no step of an incident"),
    ],
)
def test_a_line_that_says_what_no_event_says_is_refused_by_its_number(
    tmp_path: Path, kind: RecordKind, step: str, content: dict[str, object], said: str
) -> None:
    """Chained as it should be, and not understood: never read as nothing, nor as a replaced node."""
    journal = Journal(tmp_path / "incidents.jsonl", now=Clock().now)
    journal.append(RecordKind.OPENED, content={"incident": "a", "node": "t-0", "words": "Xid 79", "xids": [79]})
    journal.append(kind, step=step, content={"incident": "a", **content})
    journal.close()
    with pytest.raises(InputError, match="cannot be trusted") as refused:
        read_incidents(tmp_path)
    (fault,) = refused.value.faults
    assert (fault.line, said in fault.message) == (2, True)


def test_aws_ends_the_instance_of_a_node_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, str]] = []

    def end(machine_id: str, *, region: str, cluster: str) -> str:
        asked.append((machine_id, region, cluster))
        return "ended"

    monkeypatch.setattr(aws_instances, "end_instance", end)
    incident = mended(tmp_path, whole(), of=spec())
    assert asked == [("i-742d30", "us-east-1", "atoll-demo")]
    assert incident.remedy == "ended"
    assert not (tmp_path / "incidents").exists()


def test_karpenter_gets_the_node_and_google_a_report(tmp_path: Path) -> None:
    cluster = whole()
    labels = {name: text for name, text in cluster.all[2].labels.items() if "nodegroup" not in name}
    cluster.all[2] = replace(cluster.all[2], labels={**labels, "karpenter.sh/nodepool": "train"})
    assert "Karpenter" in mended(tmp_path, cluster, of=spec()).remedy
    assert "t-0" not in {each.name for each in cluster.all}
    cluster = whole()
    google = spec(target="gcp", provider="gcp", machine="a3-megagpu-8g")
    assert "(XID)" in mended(tmp_path / "gcp", cluster, of=google).remedy
    assert cluster.node("t-0").labels["cloud.google.com/fault-behavior"] == "XID"


def test_a_machine_google_takes_no_report_of_gets_a_ticket(tmp_path: Path) -> None:
    bought = spec(target="gcp", provider="gcp", machine="a3-megagpu-8g", kind="on_demand", purchase="on_demand")
    assert "ticket" in mended(tmp_path, whole(), of=bought).remedy


def at(tools: RepairContext) -> dict[str, Any]:
    return {"scene": tools.scene, "cluster": tools.cluster, "log": tools.log}


def test_an_incident_ends_when_the_node_works_again(tmp_path: Path) -> None:
    cluster = whole()
    mended(tmp_path, cluster)
    says: list[str] = []
    with work(tmp_path, cluster) as tools:
        looked = inspect_nodes(tools.scene, cluster, now=tools.log.now())
        assert watch.close_finished_incidents(looked, **at(tools), say=says.append) == ()
        cluster.all[2] = replace(node("t-0"), annotations=cluster.node("t-0").annotations)
        looked = inspect_nodes(tools.scene, cluster, now=tools.log.now())
        (closed,) = watch.close_finished_incidents(looked, **at(tools), say=says.append)
    assert closed.end == "t-0 works again"
    assert cluster.node("t-0").incident == ""


def test_an_incident_ends_when_another_machine_has_come(tmp_path: Path) -> None:
    cluster = whole()
    mended(tmp_path, cluster)
    cluster.all = [each for each in cluster.all if each.name != "t-0"]
    with work(tmp_path, cluster) as tools:
        looked = inspect_nodes(tools.scene, cluster, now=tools.log.now())
        assert watch.close_finished_incidents(looked, **at(tools), say=print) == ()
        cluster.all.append(replace(node("t-0"), uid="another"))
        looked = inspect_nodes(tools.scene, cluster, now=tools.log.now())
        (closed,) = watch.close_finished_incidents(looked, **at(tools), say=print)
    assert closed.end == "its machine is gone, and train has 4 nodes that work or are held"


def test_an_incident_of_another_cluster_of_the_stack_is_left_open(tmp_path: Path) -> None:
    mended(tmp_path, whole())
    away = spec(target="existing", provider="nebius", repair="none")
    place = away.placement.model_copy(update={"name": "overflow"})
    cluster = FakeCluster(all=[*systems(), *(node(f"o-{number}") for number in range(4))])
    with work(tmp_path, cluster, of=away.model_copy(update={"placement": place})) as tools:
        looked = inspect_nodes(tools.scene, cluster, now=tools.log.now())
        assert watch.close_finished_incidents(looked, **at(tools), say=print) == ()


def test_a_node_is_held_only_when_it_is_able_idle_and_wanted(tmp_path: Path) -> None:
    cluster = FakeCluster(all=[*systems(), node("t-0", XID_79), node("t-1"), node("t-2")], pods={"t-2": [pod("job")]})
    with work(tmp_path, cluster) as tools:
        hold: Callable[[str], str] = lambda name: watch.hold_spare(name, **at(tools))  # noqa: E731 - said five times
        for name, reason in (("t-0", "it is failed"), ("t-2", "has work"), ("sys-0", "no spares in the lock")):
            with pytest.raises(InputError, match=reason):
                hold(name)
        assert "held back as a spare" in hold("t-1")
        assert "already" in hold("t-1")
        cluster.pods.clear()
        with pytest.raises(InputError, match="has its 1 spares already: t-1"):
            hold("t-2")


def test_a_repaired_node_comes_back_as_a_spare_and_its_incident_ends(tmp_path: Path) -> None:
    cluster = whole()
    mended(tmp_path, cluster)
    cluster.all[2] = replace(cluster.node("t-0"), conditions=node("x").conditions)
    with work(tmp_path, cluster) as tools:
        with pytest.raises(InputError, match="has not passed its burn-in"):
            watch.hold_spare("t-0", **at(tools))
        retested = replace(cluster.node("t-0"), taints={"atoll/burn-in": "pending"}, cordoned=False)
        cluster.all[2] = retested
        looked = inspect_nodes(tools.scene, cluster, now=tools.log.now())
        assert watch.close_finished_incidents(looked, **at(tools), say=print) == ()
        cluster.all[2] = replace(retested, taints={}, labels={**retested.labels, "atoll/burn-in": "passed"})
        watch.hold_spare("t-0", **at(tools))
    assert cluster.node("t-0").held
    assert cluster.node("t-0").incident == ""
    assert read_incidents(tmp_path)[0].end == "t-0 came back, and is held as a spare"


def test_an_incident_is_closed_by_hand_once(tmp_path: Path) -> None:
    incident = mended(tmp_path, whole())
    with work(tmp_path, whole()) as tools:
        assert watch.close(incident.id, because="given back", log=tools.log).end == "given back"
        with pytest.raises(InputError, match="was closed at"):
            watch.close(incident.id, because="again", log=tools.log)
        with pytest.raises(InputError, match="no incident 'x'"):
            watch.close("x", because="again", log=tools.log)


def test_watching_cordons_within_the_limit_once_and_mending_goes_on_from_there(tmp_path: Path) -> None:
    cluster = whole()
    cluster.all[3] = node("t-1", XID_79)
    says: list[str] = []
    limit = CordonLimit(at_most=1, share_percent=20)
    with work(tmp_path, cluster) as tools:
        for expected in (("t-0",), ()):
            looked = inspect_nodes(tools.scene, cluster, now=tools.log.now())
            assert cordon_failed_nodes(looked, **at(tools), limit=limit, say=says.append) == expected
        report_unhealthy(inspect_nodes(tools.scene, cluster, now=tools.log.now()), says.append)
    assert any("t-1 is not cordoned" in each for each in says)
    assert any("t-0 of train is failed (cordoned)" in each for each in says)
    (incident,) = read_incidents(tmp_path)
    assert incident.did("cordon")
    assert mended(tmp_path, cluster).id == incident.id


def test_two_incidents_of_a_day_and_a_node_that_fails_again_have_ids_of_their_own(tmp_path: Path) -> None:
    cluster = whole()
    first = mended(tmp_path, cluster)
    with work(tmp_path, cluster) as tools:
        watch.close(first.id, because="repaired", log=tools.log)
    cluster.all[2] = node("t-0", XID_79)
    ids = [first.id, mended(tmp_path, cluster).id]
    assert [each.rpartition("-")[0] for each in ids] == ["20261122-1", "20261122-2"]
    lines = [json.loads(line) for line in (tmp_path / "incidents.jsonl").read_text().splitlines()]
    assert [each["seq"] for each in lines] == list(range(1, len(lines) + 1))


def test_scene_of_the_test_is_the_stack_s(tmp_path: Path) -> None:
    found = scene(tmp_path)
    assert isinstance(found, MaintenanceContext)
    assert set(found.pools) == {"system", "train"}
