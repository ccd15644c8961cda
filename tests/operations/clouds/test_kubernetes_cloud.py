"""What a cluster that is there says, from the models of its client; no server is asked."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import (
    CoreV1Api,
    V1Namespace,
    V1Node,
    V1NodeCondition,
    V1NodeStatus,
    V1ObjectMeta,
    V1ObjectReference,
    V1PersistentVolume,
    V1PersistentVolumeClaim,
    V1PersistentVolumeSpec,
    V1PersistentVolumeStatus,
    V1Service,
    V1ServiceSpec,
)
from kubernetes.client.exceptions import ApiException
from samples import STACK, TODAY, asked, existing_cluster, profile

from catalogs.catalog import Catalog
from operations.clouds.kubernetes import placement
from planning.cloud_checks.cloud_reports import CloudReport
from planning.cloud_checks.orphans import classify
from planning.cloud_checks.pool_capacity import PlacementFacts
from planning.cloud_checks.preflight import placement_facts

OURS = {"app.kubernetes.io/managed-by": "atoll"}
ASKED = asked(existing_cluster())
KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: not-to-be-repeated}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
"""


def node(gpus: int, *, ready: bool = True) -> V1Node:
    allocatable = {"cpu": "96", "memory": "1Ti", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    condition = V1NodeCondition(type="Ready", status="True" if ready else "False")
    return V1Node(status=V1NodeStatus(allocatable=allocatable, conditions=[condition]))


def facts(counted: dict[int, int], **changes: Any) -> PlacementFacts:
    question = asked(existing_cluster(**changes))
    told = placement.from_counts(counted, question)
    return placement_facts(question.spec, told, reservations={}, today=TODAY)


def test_ready_nodes_are_counted_by_their_gpus() -> None:
    found = placement.node_counts([node(8), node(8), node(8, ready=False), node(0), V1Node()])
    assert found == {8: 2, 0: 1}


def test_enough_nodes_are_enough() -> None:
    system, train = facts({0: 3, 8: 2}).pools
    assert (system.quota.state, train.quota.state, train.offered.state) == ("enough", "enough", "offered")
    assert train.reserved.state == "not_needed"


def test_too_few_fixed_nodes_are_too_few() -> None:
    _, train = facts({0: 3, 8: 1}).pools
    assert (train.quota.state, train.quota.needed, train.quota.limit) == ("short", 2, 1)
    _, none = facts({0: 3}).pools
    assert (none.offered.state, none.offered.reason) == ("not_offered", "the cluster has no such node")


def test_too_few_nodes_are_unknown_where_an_autoscaler_may_add_some() -> None:
    _, train = facts({0: 3}, profile=profile(autoscaler="provider")).pools
    assert (train.quota.state, train.offered.state) == ("unknown", "unknown")
    assert train.quota.reason == "0 are there now; its autoscaler may add more"


def volume(name: str, *, policy: str = "Delete", space: str = "team", **meta: Any) -> V1PersistentVolume:
    spec = V1PersistentVolumeSpec(
        capacity={"storage": "100Gi"},
        persistent_volume_reclaim_policy=policy,
        claim_ref=V1ObjectReference(namespace=space, name="claim"),
    )
    status = V1PersistentVolumeStatus(phase="Released")
    return V1PersistentVolume(metadata=V1ObjectMeta(name=name, **meta), spec=spec, status=status)


def test_volumes_of_our_namespaces_are_found_and_retained_ones_are_kept() -> None:
    given = [
        volume("a"),
        volume("b", policy="Retain"),
        volume("theirs", space="other"),
        volume("c", space="", labels=OURS),
    ]
    found = {each.id: each for each in placement.volumes(given, ASKED, spaces=["team"])}
    assert set(found) == {"a", "b", "c"}
    assert (found["a"].kept, bool(found["b"].kept), found["a"].status) == ("", True, "released")
    assert found["a"].uses[0].quantity == Decimal("107.3741824")


def test_only_balancers_of_ours_are_found() -> None:
    def service(name: str, kind: str, space: str) -> V1Service:
        return V1Service(metadata=V1ObjectMeta(name=name, namespace=space), spec=V1ServiceSpec(type=kind))

    given = [
        service("in", "LoadBalancer", "team"),
        service("no", "ClusterIP", "team"),
        service("x", "LoadBalancer", "y"),
    ]
    assert [each.id for each in placement.balancers(given, ASKED, spaces=["team"])] == ["team/in"]


def test_namespaces_and_claims_are_free_and_volumes_are_not_guessed(catalog: Catalog) -> None:
    claim = V1PersistentVolumeClaim(metadata=V1ObjectMeta(name="data", namespace="team"))
    found = (
        *placement.namespaces([V1Namespace(metadata=V1ObjectMeta(name="team"))], ASKED),
        *placement.claims([claim], ASKED),
        *placement.volumes([volume("a")], ASKED, spaces=["team"]),
    )
    left = classify(STACK, found, catalog_prices=catalog.prices)
    assert {each.found.id for each in left.free} == {"team", "team/data"}
    (disk,) = left.forgotten
    assert (disk.usd_per_month, "no list price of disk at lambda" in disk.note) == (None, True)


@pytest.mark.usefixtures("no_credentials")
def test_a_kubeconfig_that_is_not_named_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATOLL_TEST_KUBECONFIG", raising=False)
    reason = "ATOLL_TEST_KUBECONFIG is not set, and it names the kubeconfig of the cluster"
    assert placement.read_capacity(ASKED) == CloudReport(silence=reason)
    assert [each.reason for each in placement.search(ASKED).unanswered] == [reason]


def test_an_expired_login_is_said_without_its_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ApiException(status=401, reason="Unauthorized")

    path = tmp_path / "kubeconfig"
    path.write_text(KUBECONFIG)
    monkeypatch.setenv("ATOLL_TEST_KUBECONFIG", str(path))
    monkeypatch.setattr(CoreV1Api, "list_node", refuse)
    assert placement.read_capacity(ASKED) == CloudReport(silence="the cluster refused: 401 Unauthorized")


@pytest.mark.parametrize("text", ["", "not: [yaml", "- a\n", "kind: Config\n"])
def test_a_kubeconfig_that_is_none_is_said(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text)
    monkeypatch.setenv("ATOLL_TEST_KUBECONFIG", str(path))
    assert placement.read_capacity(ASKED).silence
    (nothing,) = placement.search(ASKED).unanswered
    assert nothing.reason
