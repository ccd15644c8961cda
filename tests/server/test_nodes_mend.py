"""A failed node against a real API server: found by its condition, emptied by evictions, and a spare in its place."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from fake_nodes import joined
from kube_client import KubeClient, Manifest
from waiting import WITHIN, wait_until

from operations.clouds.kubernetes.objects import KUBECONFIG_VARIABLE, ClusterError
from operations.nodes import kubernetes_cluster as live
from operations.nodes import watch
from operations.nodes.health import MaintenanceContext, inspect_nodes
from operations.nodes.incident_log import IncidentLog, read_incidents
from operations.nodes.repair import RepairContext, RepairRequest, repair_node
from operations.nodes.repair_steps import DrainError, Waiting
from operations.nodes.watch import CordonLimit, cordon_failed_nodes
from planning.incidents.findings import NodeHealth
from planning.spec.cluster import Amounts, ClusterSpec, Placement, Pool, Profile
from planning.values.errors import InputError

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

POOL = "mend-train"
BAD, GOOD, SPARE, RAW = "mend-bad", "mend-good", "mend-spare", "mend-raw"
GUIDE = Path(__file__).parents[2] / "docs/guides/failed-nodes.md"
STRATEGIC = "application/strategic-merge-patch+json"


def node(
    name: str, *, cordoned: bool = False, labels: dict[str, str] | None = None, untested: bool = False
) -> Manifest:
    room = {"cpu": "8", "memory": "32Gi", "pods": "50"}
    taints = [{"key": "atoll/burn-in", "value": "pending", "effect": "NoSchedule"}] if untested else []
    own = {"atoll/pool": POOL, "atoll/role": "gpu", "kubernetes.io/hostname": name}
    tested = {} if untested else {"atoll/burn-in": "passed"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**own, "topology.kubernetes.io/zone": "a", **tested, **(labels or {})}},
        "spec": {"unschedulable": cordoned, "taints": taints},
        "status": {"capacity": room, "allocatable": room},
    }


def spec() -> ClusterSpec:
    nothing = Amounts.model_validate({"min": "0", "expected": "0", "max": "0"})
    pool = Pool.model_construct(
        name=POOL, role="gpu", machine="m", purchase="reserved_12m", kind="reserved", working=2, spares=1, min_nodes=3,
        max_nodes=3, node_hours=nothing, fabric="infiniband", burn_in=True,
    )  # fmt: skip
    place = Placement.model_validate({"provider": "lambda", "region": "us-east-1", "zones": (), "target": "existing"})
    profile = Profile.model_construct(provider="lambda", node_repair="provider")
    return ClusterSpec.model_construct(placement=place, pools=(pool,), profile=profile, existing=None)


@dataclass
class Room:
    """The nodes, a namespace of pods, and a kubeconfig for each right."""

    kube: KubeClient
    namespace: str
    folder: Path

    def kubeconfig(self, name: str, rules: list[dict[str, Any]]) -> Path:
        """Of an account that may do this and nothing else."""
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": self.namespace},
        }
        ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"{self.namespace}-{name}"}
        role = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": ref["name"]},
            "rules": rules,
        }
        bound = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": ref["name"]},
            "roleRef": ref,
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": self.namespace}],
        }
        for each in (account, role, bound):
            answer = self.kube.apply(each)
            assert answer.ok, answer.text
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{name}/token"
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
        token = self.kube.request("POST", path, body=body).json()["status"]["token"]
        form = yaml.safe_load(self.kube.plane.kubeconfig.read_text())
        form["users"][0]["user"] = {"token": token}
        file = self.folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump(form))
        return file

    def condition(self, name: str, **said: str) -> None:
        """Inject a condition, as a monitor on the node would."""
        told = {"lastTransitionTime": datetime.now(tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), **said}
        body = {"status": {"conditions": [told]}}
        answer = self.kube.request("PATCH", f"/api/v1/nodes/{name}/status", body=body, content_type=STRATEGIC)
        assert answer.ok, answer.text

    def node(self, name: str) -> dict[str, Any]:
        return self.kube.request("GET", f"/api/v1/nodes/{name}").json()

    def pods(self, node: str) -> list[str]:
        items = self.kube.list_in(self.namespace, "pods").json()["items"]
        return [each["metadata"]["name"] for each in items if each["spec"].get("nodeName") == node]


def rules() -> list[dict[str, Any]]:
    """The rights that the guide lists."""
    (role,) = [
        part.split("```", maxsplit=1)[0] for part in GUIDE.read_text().split("```yaml\n")[1:] if "ClusterRole" in part
    ]
    return yaml.safe_load(role)["rules"]


@pytest.fixture
def room(kube: KubeClient, namespace: str, tmp_path: Path) -> Iterator[Room]:
    nodes = [
        node(BAD),
        node(GOOD),
        node(SPARE, cordoned=True, labels={"atoll/spare": "true"}),
        node(RAW, untested=True),
    ]
    with joined(kube, nodes, owner="mend"):
        yield Room(kube, namespace, tmp_path)


def workload(room: Room, *, replicas: int, least: int) -> None:
    """Pods on the bad node, of which a budget wants so many."""
    labels = {"app": "train"}
    body = {
        "containers": [{"name": "c", "image": "busybox"}],
        "nodeSelector": {"atoll/pool": POOL},
        "terminationGracePeriodSeconds": 1,
    }
    objects: list[Manifest] = [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "train", "namespace": room.namespace},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": body},
            },
        },
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "train", "namespace": room.namespace},
            "spec": {"minAvailable": least, "selector": {"matchLabels": labels}},
        },
    ]
    cordon(room, GOOD, cordoned=True)
    for each in objects:
        answer = room.kube.apply(each)
        assert answer.ok, answer.text
    wait_until(lambda: room.pods(BAD), lambda pods: len(pods) == replicas, what=f"{replicas} pods on {BAD}")
    budget = objects[1]
    room.kube.wait(budget, lambda answer: answer.json().get("status", {}).get("currentHealthy") == replicas)
    cordon(room, GOOD, cordoned=False)


def cordon(room: Room, name: str, *, cordoned: bool) -> None:
    body = {"spec": {"unschedulable": cordoned}}
    answer = room.kube.request("PATCH", f"/api/v1/nodes/{name}", body=body, content_type="application/merge-patch+json")
    assert answer.ok, answer.text


def scene(folder: Path) -> MaintenanceContext:
    return MaintenanceContext(stack="demo", spec=spec(), folder=folder, eks="atoll-demo", replace_within_hours=None)


def work(
    room: Room, log: IncidentLog, config: Path, monkeypatch: pytest.MonkeyPatch, *, within: float = WITHIN
) -> RepairContext:
    monkeypatch.setenv(KUBECONFIG_VARIABLE, str(config))
    at = scene(room.folder)
    wait = Waiting(timeout_s=within, every_s=0.3, grace_s=1, clock=time.monotonic, sleep=time.sleep)
    return RepairContext(scene=at, cluster=live.open_node_api(at.spec), log=log, waiting=wait, say=lambda _text: None)


def log_of(room: Room) -> IncidentLog:
    return IncidentLog(room.folder, now=lambda: datetime.now(tz=UTC))


def test_a_failed_node_is_found_emptied_and_a_spare_takes_over_with_the_rights_of_the_guide(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    workload(room, replicas=2, least=1)
    room.condition(
        BAD, type="SysLogsXIDError", status="True", reason="SysLogsXIDErrorIsNotHealthy", message="ErrorCode:79"
    )
    with closing(log_of(room)) as log:
        tools = work(room, log, room.kubeconfig("mender", rules()), monkeypatch)
        looked = inspect_nodes(tools.scene, tools.cluster, now=log.now())
        assert {each.name for each in looked.nodes} == {BAD, GOOD, SPARE, RAW}
        assert looked.verdicts[BAD].standing is NodeHealth.FAILED
        assert looked.verdicts[GOOD].standing is NodeHealth.WELL
        limit = CordonLimit(at_most=1, share_percent=20)
        assert cordon_failed_nodes(
            looked, scene=tools.scene, cluster=tools.cluster, log=log, limit=limit, say=print
        ) == (BAD,)
        assert room.node(BAD)["spec"]["unschedulable"] is True
        incident = repair_node(RepairRequest(node=BAD), tools)
    assert room.pods(BAD) == []
    wait_until(lambda: room.pods(GOOD) + room.pods(SPARE), lambda pods: len(pods) == 2, what="both pods elsewhere")
    assert incident.spare == SPARE
    taken = room.node(SPARE)
    assert "unschedulable" not in taken["spec"]
    assert "atoll/spare" not in taken["metadata"]["labels"]
    assert taken["metadata"]["annotations"]["atoll/spare-for"] == incident.id
    assert room.node(RAW)["spec"]["taints"][0]["key"] == "atoll/burn-in"
    (told,) = read_incidents(room.folder)
    times = [told.opened, told.cordoned, told.spared, told.drained, told.replaced]
    assert times == sorted(each for each in times if each is not None)
    assert told.xids == (79,)
    assert "# Please replace node mend-bad" in (room.folder / "incidents" / f"{incident.id}.md").read_text()


def test_a_budget_is_kept_and_named_and_the_next_run_goes_on(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    workload(room, replicas=1, least=1)
    with closing(log_of(room)) as log:
        tools = work(room, log, room.kubeconfig("mender", rules()), monkeypatch, within=1)
        with pytest.raises(DrainError, match=f"disruption budget {room.namespace}/train allows none to go"):
            repair_node(RepairRequest(node=BAD, because="it smells of smoke"), tools)
        assert len(room.pods(BAD)) == 1
        assert room.node(BAD)["spec"]["unschedulable"] is True
        path = f"/apis/policy/v1/namespaces/{room.namespace}/poddisruptionbudgets/train"
        assert room.kube.request("DELETE", path).ok
        incident = repair_node(RepairRequest(node=BAD), work(room, log, room.folder / "mender.yaml", monkeypatch))
        assert room.pods(BAD) == []
        assert (incident.did("replace"), incident.trouble) == (True, "")
        cordon(room, BAD, cordoned=False)
        looked = inspect_nodes(tools.scene, tools.cluster, now=log.now())
        (closed,) = watch.close_finished_incidents(looked, scene=tools.scene, cluster=tools.cluster, log=log, say=print)
    assert closed.end == f"{BAD} works again"
    assert "atoll/incident" not in room.node(BAD)["metadata"].get("annotations", {})


def test_without_the_right_to_write_nothing_is_touched_and_the_refusal_is_in_the_log(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = [{"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["get", "list"]}]
    before = room.node(BAD)["spec"]
    with closing(log_of(room)) as log:
        tools = work(room, log, room.kubeconfig("reader", reading), monkeypatch)
        with pytest.raises(ClusterError, match="refused PATCH /api/v1/nodes/mend-bad: 403 Forbidden") as refused:
            repair_node(RepairRequest(node=BAD, because="try"), tools)
    assert "failed-nodes.md" in refused.value.hint
    assert room.node(BAD)["spec"] == before
    assert "403" in read_incidents(room.folder)[0].trouble


def test_two_at_once_do_not_take_the_same_node(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    config = room.kubeconfig("mender", rules())
    folders = [room.folder / name for name in ("one", "two")]
    outcomes: list[str] = []
    ready = threading.Barrier(2, timeout=WITHIN)

    def run(folder: Path) -> None:
        folder.mkdir()
        with closing(IncidentLog(folder, now=lambda: datetime.now(tz=UTC))) as log:
            own = Room(room.kube, room.namespace, folder)
            tools = work(own, log, config, monkeypatch)
            ready.wait()
            try:
                repair_node(RepairRequest(node=BAD, because=folder.name, keep=True), tools)
                outcomes.append("done")
            except InputError as error:
                outcomes.append(str(error))

    threads = [threading.Thread(target=run, args=(each,)) for each in folders]
    for each in threads:
        each.start()
    for each in threads:
        each.join(timeout=WITHIN)
    assert len(outcomes) == 2
    assert outcomes.count("done") == 1
    assert any("being mended under incident" in each for each in outcomes), outcomes


def test_a_cluster_that_does_not_answer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KUBECONFIG_VARIABLE, raising=False)
    with pytest.raises(ClusterError, match="ATOLL_KUBECONFIG is not set"):
        live.open_node_api(spec())
    bad = tmp_path / "config"
    bad.write_text("- no\n")
    monkeypatch.setenv(KUBECONFIG_VARIABLE, str(bad))
    with pytest.raises(ClusterError, match="is no kubeconfig"):
        live.open_node_api(spec())
    away = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "x",
        "clusters": [{"name": "x", "cluster": {"server": "http://127.0.0.1:9"}}],
        "users": [{"name": "x", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
    }
    bad.write_text(yaml.safe_dump(away))
    with pytest.raises(ClusterError, match="does not answer"):
        live.open_node_api(spec()).list_nodes()
