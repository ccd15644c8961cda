"""What goes wrong at three in the morning: clocks, scalers, nodes that are well again, wrong clusters, a lost VPN."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from fake_cluster import READY, START, XID_79, Clock, FakeCluster, node, pod, scene, spare, spec, systems
from hypothesis import given
from hypothesis import strategies as st

from catalogs.nodes import failures
from operations.clouds.kubernetes.objects import ClusterSilentError
from operations.nodes.health import inspect_nodes
from operations.nodes.incident_log import IncidentLog, read_incidents
from operations.nodes.repair import SAID, RepairContext, RepairRequest, repair_node
from operations.nodes.watch import CordonLimit, cordon_failed_nodes
from planning.incidents.findings import NodeHealth, diagnose_node
from planning.incidents.node import Condition, Node, node_of
from planning.incidents.pods import Pod, pod_of
from planning.incidents.remedies import remedy
from planning.incidents.spares import cordons
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from planning.incidents.incident import Incident

LIMIT = CordonLimit(at_most=1, share_percent=20)
FULL = Condition(type="DiskPressure", status="True", since=START)


def mended(folder: Path, cluster: FakeCluster, *, says: list[str] | None = None, **asked: Any) -> Incident:
    at, clock = scene(folder, spec(target="existing", provider="lambda", repair="none")), Clock()
    with closing(IncidentLog(at.folder, now=clock.now)) as log:
        say = [].append if says is None else says.append
        tools = RepairContext(scene=at, cluster=cluster, log=log, waiting=clock.waiting(), say=say)
        return repair_node(RepairRequest(node="t-0", **asked), tools)


def cluster_of(*conditions: Condition, **changes: Any) -> FakeCluster:
    return FakeCluster(all=[*systems(), node("t-0", *conditions, **changes), node("t-1"), spare("t-9")])


def now_is(cluster: FakeCluster, name: str, *conditions: Condition) -> None:
    cluster.all = [
        replace(each, conditions=(READY, *conditions)) if each.name == name else each for each in cluster.all
    ]


def not_ready(*, for_minutes: float, ahead_minutes: float = 0, silent_minutes: float = 1) -> Node:
    """A node whose clock is wrong, as it wrote the times of its one condition."""
    own = START + timedelta(minutes=ahead_minutes)
    since, beat = own - timedelta(minutes=for_minutes), own - timedelta(minutes=min(silent_minutes, for_minutes))
    return node("t-0", Condition(type="Ready", status="False", since=since, beat=beat))


def standing(of: Node) -> NodeHealth:
    return diagnose_node(of, now=START).standing


def test_a_clock_that_is_an_hour_behind_is_no_failure() -> None:
    assert standing(not_ready(for_minutes=1, ahead_minutes=-60)) is NodeHealth.DOUBTFUL


def test_a_clock_that_is_an_hour_ahead_hides_no_failure() -> None:
    assert standing(not_ready(for_minutes=30, ahead_minutes=60)) is NodeHealth.FAILED


@given(
    minutes=st.floats(min_value=0, max_value=600),
    ahead=st.floats(min_value=-600, max_value=600),
    silent=st.floats(min_value=0, max_value=5),
)
def test_no_clock_makes_a_failure_more_than_five_minutes_early_or_late(
    minutes: float, ahead: float, silent: float
) -> None:
    found = standing(not_ready(for_minutes=minutes, ahead_minutes=ahead, silent_minutes=silent))
    if minutes < 5:
        assert found is NodeHealth.DOUBTFUL
    if minutes > 15:
        assert found is NodeHealth.FAILED


def test_the_last_word_of_a_condition_is_read() -> None:
    form = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-11-22T09:00:00Z"}
    (found,) = node_of({"status": {"conditions": [form]}}).conditions
    assert found.beat == START


@pytest.mark.parametrize(
    ("taint", "words"),
    [
        ("karpenter.sh/disrupted", "Karpenter is removing it"),
        ("ToBeDeletedByClusterAutoscaler", "the autoscaler is removing it"),
        ("aws-node-termination-handler/spot-itn", "its spot machine is being interrupted"),
    ],
)
def test_a_node_that_is_taken_away_on_purpose_is_no_incident(tmp_path: Path, taint: str, words: str) -> None:
    cluster = cluster_of(XID_79, taints={taint: ""})
    at = scene(tmp_path)
    with closing(IncidentLog(at.folder, now=Clock().now)) as log:
        says: list[str] = []
        looked = inspect_nodes(at, cluster, now=START)
        assert cordon_failed_nodes(looked, scene=at, cluster=cluster, log=log, limit=LIMIT, say=says.append) == ()
    assert f"t-0 is not cordoned: {words}" in says
    with pytest.raises(InputError, match=words) as refused:
        mended(tmp_path, cluster)
    assert "--because" in refused.value.hint
    assert (cluster.changes, read_incidents(tmp_path)) == ([], ())


def test_a_node_that_a_scaler_takes_counts_as_away() -> None:
    nodes = [node("t-0", XID_79), node("t-1", taints={"karpenter.sh/disrupted": ""}), *map(node, ("t-2", "t-3"))]
    verdicts = {each.name: diagnose_node(each, now=START) for each in nodes}
    found = cordons(nodes, verdicts=verdicts, at_most=1, share_percent=20, pools=["train"])
    assert (found.nodes, "1 of 4 nodes of train are out of service already" in found.left[0][1]) == ((), True)


def test_a_node_object_that_is_being_deleted_is_going() -> None:
    assert node_of({"metadata": {"deletionTimestamp": "2026-11-22T09:00:00Z"}}).going == "it is being deleted"
    assert node_of({"metadata": {}}).going == ""


def test_a_full_disk_is_no_reason_to_end_a_machine(tmp_path: Path) -> None:
    cluster = cluster_of(FULL)
    with pytest.raises(InputError, match=r"nothing that is certain is wrong with it \(DiskPressure"):
        mended(tmp_path, cluster)
    assert cluster.changes == []
    assert mended(tmp_path, cluster, because="its disk is worn out").did("replace")


def test_a_node_that_is_well_again_is_not_replaced_by_who_goes_on_late(tmp_path: Path) -> None:
    cluster, at = cluster_of(XID_79), scene(tmp_path)
    with closing(IncidentLog(at.folder, now=Clock().now)) as log:
        cordon_failed_nodes(
            inspect_nodes(at, cluster, now=START), scene=at, cluster=cluster, log=log, limit=LIMIT, say=print
        )
    now_is(cluster, "t-0")
    with pytest.raises(InputError, match="any more") as refused:
        mended(tmp_path, cluster)
    assert "let it work again" in refused.value.hint
    cluster.told = "Prometheus was not reached"
    with pytest.raises(InputError, match="but Xids are not known: Prometheus was not reached"):
        mended(tmp_path, cluster)
    assert mended(tmp_path, cluster, because="it was reset twice this week").did("replace")


def test_a_machine_that_was_kept_and_rebooted_is_not_replaced_by_a_second_call(tmp_path: Path) -> None:
    cluster = cluster_of(XID_79)
    assert not mended(tmp_path, cluster, keep=True).did("replace")
    now_is(cluster, "t-0")
    with pytest.raises(InputError, match="any more"):
        mended(tmp_path, cluster)


def test_what_a_person_opened_goes_on_without_saying_why_again(tmp_path: Path) -> None:
    cluster = cluster_of(FULL)
    assert not mended(tmp_path, cluster, because="its disk is worn out", keep=True).did("replace")
    assert mended(tmp_path, cluster).did("replace")


def test_a_node_that_fell_silent_after_it_failed_is_mended_on(tmp_path: Path) -> None:
    cluster = cluster_of(XID_79)
    mended(tmp_path, cluster, keep=True)
    now_is(cluster, "t-0")
    gone = Condition(type="Ready", status="Unknown")
    cluster.all = [replace(each, conditions=(gone,)) if each.name == "t-0" else each for each in cluster.all]
    assert mended(tmp_path, cluster).did("replace")


def test_the_spare_works_before_the_node_is_emptied(tmp_path: Path) -> None:
    cluster, says = cluster_of(XID_79), []
    cluster.pods["t-0"] = [pod("job")]
    incident = mended(tmp_path, cluster, says=says)
    assert [each.split(": ", maxsplit=1)[1] for each in says if "took over" in each or "moved away" in each] == [
        "spare t-9 took over",
        "1 pods moved away",
    ]
    text = (tmp_path / "incidents" / f"{incident.id}.md").read_text()
    assert text.index("spare t-9 took over") < text.index(": drained")


@dataclass
class Away(FakeCluster):
    """A cluster whose way there is one of the pods that were evicted: some looks find nobody."""

    gaps: int = 0
    seen: list[str] = field(default_factory=list)

    def list_pods_on(self, node: str) -> Sequence[Pod]:
        self.seen.append(node)
        if len(self.seen) > 1 and self.gaps:
            self.gaps -= 1
            raise ClusterSilentError("the cluster does not answer: MaxRetryError")
        return super().list_pods_on(node)


def away(gaps: int) -> Away:
    found = Away(all=cluster_of(XID_79).all, gaps=gaps)
    found.pods["t-0"] = [pod("wireguard")]
    return found


def test_a_cluster_that_is_silent_for_a_moment_is_waited_for_and_said_once(tmp_path: Path) -> None:
    says: list[str] = []
    assert mended(tmp_path, away(3), says=says).did("drain")
    assert sum("does not answer just now" in each for each in says) == 1


def test_a_cluster_that_stays_silent_ends_the_drain_and_the_next_run_goes_on(tmp_path: Path) -> None:
    cluster = away(1000)
    with pytest.raises(ClusterSilentError):
        mended(tmp_path, cluster)
    cluster.gaps = 0
    assert mended(tmp_path, cluster).did("replace")
    assert len(read_incidents(tmp_path)) == 1


def test_a_drain_that_waits_says_so_once(tmp_path: Path) -> None:
    cluster, says = cluster_of(XID_79), []
    cluster.pods["t-0"] = [pod("job")]
    cluster.stuck = True
    with pytest.raises(InputError, match="is not empty"):
        mended(tmp_path, cluster, says=says)
    assert sum("still there" in each for each in says) == 1


def test_the_kubeconfig_of_another_region_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    home = spec()
    there = {"topology.kubernetes.io/region": "eu-west-9"}
    cluster = cluster_of(XID_79, labels=there)
    with pytest.raises(InputError, match="a cluster in eu-west-9, and placement home") as refused:
        inspect_nodes(scene(tmp_path, home), cluster, now=START)
    assert "--placement" in refused.value.hint
    here = cluster_of(XID_79, labels={"topology.kubernetes.io/region": home.placement.region})
    assert inspect_nodes(scene(tmp_path, home), here, now=START).verdicts["t-0"].standing is NodeHealth.FAILED


def test_pods_that_keep_files_on_the_node_are_known() -> None:
    assert pod_of({"spec": {"volumes": [{"name": "scratch", "emptyDir": {}}]}}).files
    assert not pod_of({"spec": {"volumes": [{"name": "code", "configMap": {}}]}}).files


def test_a_pool_that_scales_is_left_to_its_scaler() -> None:
    scaled = spec(target="gcp", provider="gcp", repair="none", min_nodes=0, max_nodes=4, kind="spot")
    pool = scaled.pools[-1]
    assert "the autoscaler removes the empty node" in remedy(scaled, node("t-0"), pool).words


def test_whatever_is_certain_needs_more_than_a_person_s_word() -> None:
    assert not [row.name for row in failures().values() if row.certain and row.action.value in SAID]
