"""The detector on a real API server: a pod on every node, tainted or not, and the rights to write what it sees."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from fake_nodes import joined
from kube_client import KubeClient
from platform_samples import run_part
from platform_variants import spec_of
from waiting import wait_until

from components.context.hardware import BURN_IN_TAINT
from components.platform.building_blocks.names import NODE_AGENTS
from components.platform.foundation.namespaces import LEVELS
from components.platform.operations.node_problem_detector import NAME, build
from components.tenancy.cluster import shut_namespace
from planning.incidents.findings import XID, NodeHealth, diagnose_node
from planning.incidents.node import node_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kube_client import Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

PLAIN, TAINTED = "npd-plain", "npd-tainted"
STRATEGIC = "application/strategic-merge-patch+json"
LINE = "NVRM: Xid (PCI:0000:b4:00): 79, pid=7, GPU has fallen off the bus."


def node(name: str, *taints: str) -> Manifest:
    room = {"cpu": "8", "memory": "32Gi", "pods": "50"}
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "atoll/pool": "npd"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": [{"key": each, "value": "pending", "effect": "NoSchedule"} for each in taints]},
        "status": {"capacity": room, "allocatable": room},
    }


def objects() -> list[Manifest]:
    """What the program registers, and the namespace that `namespaces` makes for it."""

    def install(ground: Any, charges: Any, options: Any) -> Any:
        made = build(ground, charges, options)
        shut_namespace(NODE_AGENTS, level=LEVELS[NODE_AGENTS], parent=made.resource)
        return made

    found = run_part("node_problem_detector", install, spec_of("bare"))
    manifests: list[Manifest] = [dict(each.inputs) for each in found.resources if each.type.startswith("kubernetes:")]
    return sorted(manifests, key=lambda each: each["kind"] != "Namespace")


@pytest.fixture(scope="module")
def installed(kube: KubeClient) -> Iterator[Manifest]:
    """The daemon set, on a cluster of which one node is tainted by its device and by the burn-in, and cordoned."""
    nodes = [node(PLAIN), node(TAINTED, BURN_IN_TAINT, "nvidia.com/gpu")]
    nodes[1]["spec"]["unschedulable"] = True
    with joined(kube, nodes, owner="node-problem-detector"):
        made = objects()
        for each in made:
            answer = kube.apply(each)
            assert answer.ok, f"{each['kind']}: {answer.text}"
        (daemons,) = [each for each in made if each["kind"] == "DaemonSet"]
        yield daemons
        kube.delete_all([daemons])
        kube.clear(NODE_AGENTS, "pods", labelled=f"app={NAME}")


def pods(kube: KubeClient) -> dict[str, Any]:
    """Pods of the detector by their nodes."""
    items = kube.list_in(NODE_AGENTS, "pods").json()["items"]
    return {each["spec"]["nodeName"]: each for each in items if each["spec"].get("nodeName")}


def test_a_pod_runs_on_every_node_whatever_keeps_others_off(kube: KubeClient, installed: Manifest) -> None:
    assert installed["metadata"]["namespace"] == NODE_AGENTS
    wait_until(
        lambda: {name: pod["status"]["phase"] for name, pod in pods(kube).items()},
        lambda phases: phases.items() >= {PLAIN: "Running", TAINTED: "Running"}.items(),
        what="the detector runs on both nodes",
    )
    (container,) = pods(kube)[TAINTED]["spec"]["containers"]
    assert container["securityContext"]["privileged"] is True, "the namespace admits it"


def test_its_account_writes_the_condition_that_atoll_reads_and_may_not_cordon(
    kube: KubeClient, installed: Manifest
) -> None:
    assert installed
    asked: Manifest = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    path = f"/api/v1/namespaces/{NODE_AGENTS}/serviceaccounts/{NAME}/token"
    token = kube.request("POST", path, body=asked).json()["status"]["token"]
    account = KubeClient(replace(kube.plane, token=token))
    now = datetime.now(tz=UTC)
    told = {"type": XID, "status": "True", "reason": "Xid79", "message": LINE}
    told["lastTransitionTime"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    body = {"status": {"conditions": [told]}}
    answer = account.request("PATCH", f"/api/v1/nodes/{PLAIN}/status", body=body, content_type=STRATEGIC)
    assert answer.ok, answer.text
    seen = node_of(account.request("GET", f"/api/v1/nodes/{PLAIN}").json())
    assert (seen.ready, diagnose_node(seen, now=now).standing) == ("True", NodeHealth.FAILED)
    cordon = {"spec": {"unschedulable": True}}
    for method, beyond in (("PATCH", f"/api/v1/nodes/{PLAIN}"), ("GET", "/api/v1/nodes"), ("GET", "/api/v1/pods")):
        refused = account.request(method, beyond, body=cordon, content_type=STRATEGIC)
        assert refused.status_code == 403, beyond
