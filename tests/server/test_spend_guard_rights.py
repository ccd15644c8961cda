"""The spend guard against a real API server: it stops its queues with its own rights, and has no others."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import definitions
import pytest

from components.agents.spend_guard import SpendGuardClusterClient, round_of
from planning.agents.spend_guard import MeteredPool, SpendGuardPlan, SpendLedger, Stop
from planning.agents.spend_ledger import ledger_to_text

if TYPE_CHECKING:
    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

HOME, NAME, QUEUE, OTHER = "spend-home", "spend-guard", "everybody.train", "everybody.kept"
LEDGER = f"/api/v1/namespaces/{HOME}/configmaps/spend-ledger"
RBAC = "rbac.authorization.k8s.io/v1"
PLAN = SpendGuardPlan(
    ceiling_usd_per_month=Decimal(100_000),
    other_usd_per_month=Decimal(0),
    stranger_usd_per_hour=Decimal(0),
    label="atoll/pool",
    pools=(MeteredPool(key="train", usd_per_hour=Decimal(50), usd_as_spot=Decimal(50), least=0, most=4, held=True),),
    queues=(QUEUE,),
)


def cluster_queue(name: str) -> Manifest:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {"namespaceSelector": {}, "resourceGroups": []},
    }


def rights() -> list[Manifest]:
    """As `components.platform.operations.spend_guard` gives them."""
    subject = [{"kind": "ServiceAccount", "name": NAME, "namespace": HOME}]
    queues = {"apiGroups": ["kueue.x-k8s.io"], "resources": ["clusterqueues"], "resourceNames": [QUEUE]}
    wide = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}, {**queues, "verbs": ["get", "patch"]}]
    ledger = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["spend-ledger"]}
    here = {"name": NAME, "namespace": HOME}
    group = "rbac.authorization.k8s.io"
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": here},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**here, "name": "spend-ledger"}},
        {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": NAME}, "rules": wide},
        {
            "apiVersion": RBAC,
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": NAME},
            "subjects": subject,
        },
        {"apiVersion": RBAC, "kind": "Role", "metadata": here, "rules": [{**ledger, "verbs": ["get", "patch"]}]},
        {
            "apiVersion": RBAC,
            "kind": "RoleBinding",
            "metadata": here,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": NAME},
            "subjects": subject,
        },
    ]


@pytest.fixture(scope="module")
def guard(kube: KubeClient, tmp_path_factory: pytest.TempPathFactory) -> SpendGuardClusterClient:
    """The guard's hands, with the token of its own account."""
    if not definitions.install(kube, "kueue.x-k8s.io", "ClusterQueue"):
        pytest.skip(definitions.ABSENT)
    for each in (*rights(), cluster_queue(QUEUE), cluster_queue(OTHER)):
        answer = kube.apply(each)
        assert answer.ok, answer.text
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/{NAME}/token"
    token = kube.request("POST", path, body=asked).json()["status"]["token"]
    secrets = tmp_path_factory.mktemp("secrets")
    (secrets / "token").write_text(token)
    (secrets / "ca.crt").write_text(Path(kube.plane.authority).read_text())
    return SpendGuardClusterClient(LEDGER, api=kube.plane.url, secrets=secrets)


def policy(kube: KubeClient, queue: str) -> str:
    return kube.get(cluster_queue(queue)).json()["spec"].get("stopPolicy", "None")


def test_it_stops_its_queues_keeps_its_ledger_and_lifts_the_stop_in_the_next_month(
    kube: KubeClient, guard: SpendGuardClusterClient
) -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    spent = SpendLedger(month="2026-11", usd=Decimal(99_900), until=now - timedelta(minutes=1))
    guard.write_ledger(ledger_to_text(spent))
    sight, said = round_of(guard, PLAN, now=now)
    assert sight.stop is Stop.DRAIN, said
    assert (policy(kube, QUEUE), policy(kube, OTHER)) == ("HoldAndDrain", "None")
    written = json.loads(guard.read_ledger())
    assert (written["month"], Decimal(written["usd"]) >= spent.usd) == ("2026-11", True)
    round_of(guard, PLAN, now=datetime(2026, 12, 1, 0, 1, tzinfo=UTC))
    assert policy(kube, QUEUE) == "None"


def test_a_queue_that_is_not_its_own_is_refused_and_said(kube: KubeClient, guard: SpendGuardClusterClient) -> None:
    for call in (lambda: guard.set_stop_policy(OTHER, "Hold"), lambda: guard.read_stop_policy(OTHER)):
        with pytest.raises(OSError, match="403"):
            call()
    assert policy(kube, OTHER) == "None"


def test_what_an_update_of_the_stack_applies_leaves_the_stop_and_the_ledger(
    kube: KubeClient, guard: SpendGuardClusterClient
) -> None:
    guard.set_stop_policy(QUEUE, "Hold")
    guard.write_ledger("kept")
    for each in (cluster_queue(QUEUE), *(each for each in rights() if each["kind"] == "ConfigMap")):
        assert kube.apply(each).ok
    assert policy(kube, QUEUE) == "Hold"
    assert guard.read_ledger() == "kept"
    guard.set_stop_policy(QUEUE, "None")
