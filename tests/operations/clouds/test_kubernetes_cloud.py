"""What a cluster that is there says, from what its API answers; no server is asked."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from samples import STACK, TODAY, asked, existing_cluster, profile

from catalogs.catalog import Catalog
from operations.clouds.kubernetes import client, placement
from planning.cloud_checks.cloud_reports import CloudReport
from planning.cloud_checks.orphans import classify
from planning.cloud_checks.preflight import PlacementFacts, placement_facts

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


def node(gpus: int, *, ready: bool = True) -> dict[str, Any]:
    allocatable = {"cpu": "96", "memory": "1Ti", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    return {"status": {"allocatable": allocatable, "conditions": [condition]}}


def facts(counted: dict[int, int], **changes: Any) -> PlacementFacts:
    question = asked(existing_cluster(**changes))
    told = placement.from_counts(counted, question)
    return placement_facts(question.spec, told, reservations={}, today=TODAY)


def test_ready_nodes_are_counted_by_their_gpus() -> None:
    found = placement.node_counts([node(8), node(8), node(8, ready=False), node(0), {}])
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


def volume(name: str, *, policy: str = "Delete", space: str = "team", **meta: Any) -> dict[str, Any]:
    spec = {
        "capacity": {"storage": "100Gi"},
        "persistentVolumeReclaimPolicy": policy,
        "claimRef": {"namespace": space, "name": "claim"},
    }
    return {"metadata": {"name": name, **meta}, "spec": spec, "status": {"phase": "Released"}}


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
    def service(name: str, kind: str, space: str) -> dict[str, Any]:
        return {"metadata": {"name": name, "namespace": space}, "spec": {"type": kind}}

    given = [
        service("in", "LoadBalancer", "team"),
        service("no", "ClusterIP", "team"),
        service("x", "LoadBalancer", "y"),
    ]
    assert [each.id for each in placement.balancers(given, ASKED, spaces=["team"])] == ["team/in"]


def test_namespaces_and_claims_are_free_and_volumes_are_not_guessed(catalog: Catalog) -> None:
    claim = {"metadata": {"name": "data", "namespace": "team"}}
    found = (
        *placement.namespaces([{"metadata": {"name": "team"}}], ASKED),
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
    def refuse(*_: object, **__: object) -> tuple[int, bytes]:
        return 401, b'{"reason": "Unauthorized"}'

    path = tmp_path / "kubeconfig"
    path.write_text(KUBECONFIG)
    monkeypatch.setenv("ATOLL_TEST_KUBECONFIG", str(path))
    monkeypatch.setattr(client, "answer", refuse)
    assert placement.read_capacity(ASKED) == CloudReport(
        silence="the cluster refused GET /api/v1/nodes: 401 Unauthorized"
    )


@pytest.mark.parametrize("text", ["", "not: [yaml", "- a\n", "kind: Config\n"])
def test_a_kubeconfig_that_is_none_is_said(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text)
    monkeypatch.setenv("ATOLL_TEST_KUBECONFIG", str(path))
    assert placement.read_capacity(ASKED).silence
    (nothing,) = placement.search(ASKED).unanswered
    assert nothing.reason
