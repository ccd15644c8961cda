"""The burn-in against a real API server, with the rights that the program gives it: none is let in but who passed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pulumi
import pytest
from existing_plan import accepted_example
from fake_nodes import joined, node
from waiting import WITHIN, wait_until

from components.acceptance.burn_in_gate import BurnIn, BurnInArgs, build_program, list_burn_in_pools, plan_text
from components.acceptance.job_context import JOB
from components.agents.burn_in import BurnInClusterClient, BurnInContext, look, plan_of
from components.context.hardware import BURN_IN_TAINT
from components.context.names import BURN_IN_LEDGER, BURN_IN_NAMESPACE
from components.platform.building_blocks.script_pod import path_of
from operations.offline.program import run
from planning.spec.lock import read_lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kube_client import KubeClient, Manifest

    from planning.spec.cluster import ClusterSpec, Pool

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

ACCOUNT = "system:serviceaccount:burn-in:burn-in"
POOL = "burning"
HOURS = 8  # two rounds
MOST_LOOKS = 12


class Told(BurnInClusterClient):
    """The cluster, but for what only a kubelet could say: how long a round took, and what it has written."""

    about: str = ""
    failed: tuple[str, ...] = ()

    def list_nodes(self) -> Iterator[Mapping[str, object]]:
        yield from (each for each in super().list_nodes() if not self.about or named(each) == self.about)

    def find_pod(self, job: str) -> Mapping[str, object] | None:
        found = super().find_pod(job)
        if found is None:
            return None
        began = datetime(2026, 11, 22, tzinfo=UTC)
        times = {"startedAt": began.isoformat(), "finishedAt": (began + timedelta(hours=4)).isoformat()}
        ended = {"name": "measure", "state": {"terminated": times}}
        return {**found, "status": {"containerStatuses": [ended]}}

    def read_log(self, pod: str) -> str:
        del pod
        checks = ("inventory", "usable_memory", "dcgm", "matmul", "nvlink", "burn_in")
        rows: list[Manifest] = [{"check": each, "subject": f"node/{self.about}", "failed": []} for each in checks]
        rows[2]["failed"] = list(self.failed)
        return "\n".join(json.dumps(each) for each in rows)


def named(document: Any) -> str:
    return str(document["metadata"]["name"])


@pytest.fixture(scope="module")
def args(tmp_path_factory: pytest.TempPathFactory) -> BurnInArgs:
    folder = accepted_example(tmp_path_factory.mktemp("burn-in"), "demo", "same_cloud")
    spec = read_lock(folder / "stacks" / "demo" / "quote.lock.json").spec
    return BurnInArgs(spec=staying(spec), hours=HOURS, mirror="", offline=True)


def staying(spec: ClusterSpec) -> ClusterSpec:
    """The demo as one who reserves its accelerators has it."""
    (first, *_) = spec.pools
    kept = first.model_copy(update={"name": POOL, "working": 2, "max_nodes": 2, "min_nodes": 2})
    return spec.model_copy(update={"pools": (kept, *spec.pools[1:])})


@pytest.fixture(scope="module")
def installed(kube: KubeClient, args: BurnInArgs) -> Manifest:
    """All that the program registers; its ledger, which is empty."""

    def program() -> None:
        BurnIn("burn-in", args, opts=pulumi.ResourceOptions())

    found = run("sample", program=program)
    manifests: list[Manifest] = [dict(each.inputs) for each in found.resources if each.type.startswith("kubernetes:")]
    for each in sorted(manifests, key=lambda each: each["kind"] != "Namespace"):
        answer = kube.apply(each)
        assert answer.ok, f"{each['kind']}: {answer.text}"
    (ledger,) = [each for each in manifests if each["kind"] == "ConfigMap" and named(each) == BURN_IN_LEDGER]
    return ledger


@pytest.fixture
def nodes(kube: KubeClient, args: BurnInArgs, installed: Manifest) -> Iterator[list[str]]:
    """Two nodes of which nothing is known; no round is left of an earlier test."""
    (pool,) = list_burn_in_pools(args.spec)
    kube.delete_all([installed])
    assert kube.apply(installed).ok
    with joined(kube, [untested(pool, number) for number in range(2)], owner="burn-in") as made:
        yield [each["metadata"]["name"] for each in made]
    jobs = f"/apis/batch/v1/namespaces/{BURN_IN_NAMESPACE}/jobs"
    kube.request("DELETE", jobs, query={"propagationPolicy": "Background"})
    wait_until(lambda: kube.request("GET", jobs).json()["items"], lambda left: not left, what="the rounds are gone")
    kube.clear(BURN_IN_NAMESPACE, "pods", labelled=JOB)


def untested(pool: Pool, number: int) -> Manifest:
    found = node(pool, number)
    found["spec"]["taints"].append({"key": BURN_IN_TAINT, "value": "pending", "effect": "NoSchedule"})
    return found


@pytest.fixture(scope="module")
def secrets(kube: KubeClient, installed: Manifest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a pod of its account finds, once there are such pods."""
    assert installed
    asked: Manifest = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    path = f"/api/v1/namespaces/{BURN_IN_NAMESPACE}/serviceaccounts/burn-in/token"
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "token").write_text(kube.request("POST", path, body=asked).json()["status"]["token"])
    (folder / "ca.crt").write_text(Path(kube.plane.authority).read_text())
    return folder


def of_node(kube: KubeClient, name: str) -> dict[str, Any]:
    return kube.get({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}).json()


def taints(kube: KubeClient, name: str) -> list[str]:
    return [each["key"] for each in of_node(kube, name)["spec"].get("taints", [])]


def events(kube: KubeClient, name: str) -> list[tuple[str, str]]:
    found = kube.list_in("default", "events").json()["items"]
    return [(each["reason"], each["message"]) for each in found if each["involvedObject"]["name"] == name]


def looked(kube: KubeClient, args: BurnInArgs, cluster: Told, about: str, *, until: str) -> list[str]:
    """Looks at one node alone, until a line says the word."""
    plan, jobs = plan_of(plan_text(args))
    cluster.about = about
    lines: list[str] = []
    for _ in range(MOST_LOOKS):
        lines += look(BurnInContext(cluster=cluster, plan=plan, jobs=jobs, now=datetime.now(UTC)))
        if any(until in line for line in lines):
            return lines
        settle(kube)
    raise AssertionError(f"never {until}: {lines}")


def settle(kube: KubeClient) -> None:
    """Until every job of a round is over; kwok ends the pods of a job at once."""
    path = f"/apis/batch/v1/namespaces/{BURN_IN_NAMESPACE}/jobs"
    wait_until(
        lambda: kube.request("GET", path).json()["items"],
        lambda jobs: all(over(each) for each in jobs),
        what="every job of the round is over",
    )


def over(job: Any) -> bool:
    return bool(job["status"].get("completionTime")) or "deletionTimestamp" in job["metadata"]


def test_the_pod_starts_a_round_on_each_node_and_lets_nobody_in_untold(
    kube: KubeClient, args: BurnInArgs, nodes: list[str], secrets: Path, tmp_path: Path
) -> None:
    for key, text in build_program(args).read_files().items():
        file = tmp_path / path_of(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    told = {
        "PYTHONPATH": str(tmp_path),
        "PLAN": str(tmp_path / "plan.json"),
        "NAMESPACE": BURN_IN_NAMESPACE,
        "LEDGER": BURN_IN_LEDGER,
    }
    more = {"API": kube.plane.url, "SECRETS": str(secrets), "LOOKS": "1", "SECONDS_BETWEEN": "0"}
    command = [sys.executable, "-m", "components.agents.burn_in"]
    environment = {"PATH": os.environ["PATH"], **told, **more}
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=WITHIN, check=True
    )
    assert sorted(ran.stdout.splitlines()) == [f"{name}: round 1 starts, 0:00:00 of 8 h are tested" for name in nodes]
    settle(kube)
    path = f"/api/v1/namespaces/{BURN_IN_NAMESPACE}/pods"
    pods = kube.request("GET", path, query={"labelSelector": JOB}).json()["items"]
    assert sorted(each["spec"]["nodeName"] for each in pods) == nodes
    again = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=WITHIN, check=True
    )
    assert "403" not in again.stdout, again.stdout
    assert all(BURN_IN_TAINT in taints(kube, name) for name in nodes), "no log could be read, so nothing is known"


def test_a_node_that_passed_its_hours_is_let_in_and_keeps_its_other_taints(
    kube: KubeClient, args: BurnInArgs, nodes: list[str], secrets: Path
) -> None:
    before = taints(kube, nodes[0])
    cluster = Told(BURN_IN_NAMESPACE, BURN_IN_LEDGER, api=kube.plane.url, secrets=secrets)
    lines = looked(kube, args, cluster, nodes[0], until="passed")
    assert lines[-1].endswith("passed, 2 rounds passed in 8:00:00")
    assert [key for key in before if key != BURN_IN_TAINT] == taints(kube, nodes[0])
    assert of_node(kube, nodes[0])["metadata"]["labels"]["atoll/burn-in"] == "passed"
    assert ("BurnInPassed", "2 rounds passed in 8:00:00") in events(kube, nodes[0])


def test_a_node_that_failed_stays_out_and_says_why(
    kube: KubeClient, args: BurnInArgs, nodes: list[str], secrets: Path
) -> None:
    cluster = Told(BURN_IN_NAMESPACE, BURN_IN_LEDGER, api=kube.plane.url, secrets=secrets)
    cluster.failed = ("GPU 3: memory",)
    looked(kube, args, cluster, nodes[1], until="failed, dcgm: GPU 3: memory")
    cluster.failed = ()
    plan, jobs = plan_of(plan_text(args))
    assert look(BurnInContext(cluster=cluster, plan=plan, jobs=jobs, now=datetime.now(UTC))) == []
    found = of_node(kube, nodes[1])["metadata"]
    assert BURN_IN_TAINT in taints(kube, nodes[1])
    assert (found["labels"]["atoll/burn-in"], found["annotations"]["atoll/burn-in-why"]) == (
        "failed",
        "dcgm: GPU 3: memory",
    )
    assert ("BurnInFailed", "dcgm: GPU 3: memory") in events(kube, nodes[1])


@pytest.mark.parametrize(
    ("verb", "resource", "where", "allowed"),
    [
        ("list", "nodes", ("", ""), True),
        ("patch", "nodes", ("", ""), True),
        ("patch", "configmaps", (BURN_IN_NAMESPACE, BURN_IN_LEDGER), True),
        ("get", "pods/log", (BURN_IN_NAMESPACE, ""), True),
        ("create", "jobs.batch", (BURN_IN_NAMESPACE, ""), True),
        ("create", "events", ("default", ""), True),
        ("delete", "nodes", ("", ""), False),
        ("update", "nodes", ("", ""), False),
        ("patch", "configmaps", (BURN_IN_NAMESPACE, "measure"), False),
        ("get", "secrets", (BURN_IN_NAMESPACE, ""), False),
        ("create", "jobs.batch", ("default", ""), False),
        ("list", "pods", ("", ""), False),
        ("create", "pods", (BURN_IN_NAMESPACE, ""), False),
        ("create", "serviceaccounts/token", (BURN_IN_NAMESPACE, ""), False),
    ],
)
def test_its_rights_are_enough_and_no_more(
    kube: KubeClient, installed: Manifest, verb: str, resource: str, where: tuple[str, str], *, allowed: bool
) -> None:
    assert installed
    whole, _, part = resource.partition("/")
    kind, _, group = whole.partition(".")
    place = {"namespace": where[0], "name": where[1]}
    asked = {"verb": verb, "group": group, "resource": kind, "subresource": part, **place}
    review = {"user": ACCOUNT, "resourceAttributes": asked}
    assert kube.may(review) is allowed
