"""`atoll accept-test` against a real API server, scheduler and job controller.

kwok's nodes run nothing and serve no logs, so what pods print is put in by hand; everything else is what it is.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from existing_plan import EXAMPLE, copy_project
from fake_nodes import joined, node
from pods import gpu_pod
from pods import run as run_pod

from cli.commands.handover import acceptance as command
from cli.main.application import run as atoll
from components.acceptance.job_context import NAMESPACE, RUN
from components.acceptance.jobs import foundation, plan_jobs
from operations.acceptance import kubernetes_cluster as live
from operations.acceptance import run
from operations.acceptance.request import AcceptanceRequest, read_request
from operations.acceptance.result_store import runs, store_of

if TYPE_CHECKING:
    from control_plane import ControlPlane
    from kube_client import KubeClient, Manifest

    from operations.acceptance.kubernetes_cluster import PodSnapshot

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]
NODES = ("accept-0", "accept-1")
SLOW = NODES[1]
HOME: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
ASKED = ["accept-test", EXAMPLE, "--only", "node", "--node", NODES[0], "--node", NODES[1], "--while-working"]


class Spoken:
    """A live cluster whose pods' logs are those that are put in; `stop` is raised when that job is looked at."""

    def __init__(self, found: live.AcceptanceCluster, logs: dict[str, str], *, stop: str = "") -> None:
        self.found, self.logs, self.stop = found, logs, stop

    def __getattr__(self, name: str) -> Any:
        return getattr(self.found, name)

    def get(self, wanted: Any) -> Any:
        if self.stop and self.stop in wanted.name:
            raise KeyboardInterrupt
        return self.found.get(wanted)

    def read_log(self, pod: PodSnapshot, *, container: str) -> str:
        assert container == "measure"
        return self.logs[pod.node]


@pytest.fixture(scope="module")
def it(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AcceptanceRequest]:
    folder = tmp_path_factory.mktemp("accept-test")
    copy_project(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ATOLL_TODAY", "2026-11-21")
        assert atoll(["accept", EXAMPLE, "cheapest"]) in {0, 11}
        patch.setattr(command, "CLOCK", replace(command.CLOCK, sleep=lambda seconds: time.sleep(min(seconds, 0.2))))
        yield read_request(EXAMPLE)


@pytest.fixture(scope="module", autouse=True)
def two_nodes(it: AcceptanceRequest, kube: KubeClient) -> Iterator[list[Manifest]]:
    pool = next(each for each in it.lock.spec.pools if each.role == "gpu")
    made = [node(pool, number) for number in range(len(NODES))]
    for each, name in zip(made, NODES, strict=True):
        each["metadata"]["name"] = name
        each["metadata"]["labels"]["kubernetes.io/hostname"] = name
    kube.delete_all([HOME])  # an acceptance of another file's tests may have left it
    with joined(kube, made, owner="accept-test") as found:
        yield found


@pytest.fixture
def there(
    it: AcceptanceRequest, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> live.AcceptanceCluster:
    assert it.lock.spec.existing is not None
    monkeypatch.setenv(it.lock.spec.existing.kubeconfig_env, str(control_plane.kubeconfig))
    existing = it.lock.spec.existing.model_copy(update={"context": None})
    spec = it.lock.spec.model_copy(update={"existing": existing})
    return live.open_acceptance_cluster(spec)


def told(it: AcceptanceRequest, name: str, *, tflops: str) -> str:
    pool = next(each for each in it.expected.pools if each.accelerators)
    place = {"placement": pool.placement, "pool": pool.name}

    def line(check: str, params: dict[str, str], **readings: tuple[str, str]) -> str:
        rows = [{"name": key, "value": value, "unit": unit} for key, (value, unit) in readings.items()]
        now = command.CLOCK.now().isoformat(timespec="seconds")
        found = {"check": check, "subject": f"node/{name}", "at": now, "tool": "recorded", "readings": rows}
        return json.dumps({**found, "failed": [], "params": {**place, **params}})

    return "\n".join([
        "a tool talks of other things",
        line("inventory", {}, accelerators=(str(pool.accelerators), ""), memory=("81559", "MiB")),
        line("usable_memory", {}, memory=("80995", "MiB")),
        line("dcgm", {"level": "3"}, tests=("12", ""), passed=("12", "")),
        line("matmul", {"precision": pool.precision}, tflops=(tflops, "TFLOPS")),
        *(
            line("nvlink", {"payload_bytes": str(each)}, bus=("440.1", "GB/s"), algorithm=("251.5", "GB/s"))
            for each in pool.judged_payloads
        ),
    ])  # fmt: skip


def logs(it: AcceptanceRequest, *, slow: str = "402.5") -> dict[str, str]:
    return {NODES[0]: told(it, NODES[0], tflops="731.4"), SLOW: told(it, SLOW, tflops=slow)}


def left(kube: KubeClient) -> list[str]:
    found = kube.request("GET", "/apis/batch/v1/jobs", query={"labelSelector": RUN}).json()["items"]
    return [each["metadata"]["name"] for each in found if not each["metadata"].get("deletionTimestamp")]


def test_a_run_makes_measures_names_the_slow_node_and_cleans_up(  # noqa: PLR0917 - fixtures
    it: AcceptanceRequest, there: Any, kube: KubeClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    monkeypatch.setattr(run, "open_placement", lambda _: Spoken(there, logs(it)))
    assert atoll([*ASKED, "--run", "measured", "-o", str(tmp_path / "report.json")]) == 1
    said = capsys.readouterr()
    assert f"nodes that failed: {SLOW}\n" in said.out
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["outcome"], report["failed_nodes"], report["unfinished"]) == ("failed", [SLOW], [])
    assert {each["name"]: each["outcome"] for each in report["nodes"]} == {NODES[0]: "passed", SLOW: "failed"}
    assert left(kube) == []
    assert "measured" in runs(it.folder)
    assert len(store_of(it.folder, "measured").read_records()) == len(report["results"]["measured"]) == 14
    assert store_of(it.folder, "measured").read_meta().ended


def test_ctrl_c_cleans_up_and_the_next_run_goes_on(
    it: AcceptanceRequest, there: Any, kube: KubeClient, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(run, "open_placement", lambda _: Spoken(there, logs(it), stop=SLOW))
    assert atoll([*ASKED, "--run", "stopped"]) == 130
    assert "stopped; run it again, and stopped goes on" in capsys.readouterr().err
    assert left(kube) == []
    assert not store_of(it.folder, "stopped").read_meta().ended
    monkeypatch.setattr(run, "open_placement", lambda _: Spoken(there, logs(it, slow="718.0")))
    assert atoll(ASKED) == 0
    said = capsys.readouterr().err
    assert "run stopped: " in said
    assert len(store_of(it.folder, "stopped").read_records()) == 14
    assert left(kube) == []


def test_what_a_killed_run_has_left_goes_first_and_silent_pods_prove_nothing(
    it: AcceptanceRequest, there: Any, kube: KubeClient, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    pool = next(each.name for each in it.lock.spec.pools if each.role == "gpu")
    kube.delete_all([HOME])
    jobs = plan_jobs(it.lock.spec, nodes={pool: [NODES[0]]}, run="killed")
    (old,) = (each for each in jobs if each.subject == f"node/{NODES[0]}")
    for each in (*foundation(it.lock.spec), *old.objects):
        there.apply(each)
    assert left(kube) == [old.awaited.name]
    monkeypatch.setattr(run, "open_placement", lambda _: there)  # no log is put in: kwok serves none
    assert atoll([*ASKED, "--run", "silent"]) == 11
    said = capsys.readouterr()
    assert "removing 1 objects that an earlier run has left" in said.err
    assert "it ended and wrote no record" in said.out
    assert left(kube) == []
    assert store_of(it.folder, "silent").read_meta().done == ()


def test_nodes_at_work_are_not_taken_and_nothing_is_made(  # noqa: PLR0917 - fixtures
    it: AcceptanceRequest, there: Any, kube: KubeClient, namespace: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    pool = next(each.name for each in it.lock.spec.pools if each.role == "gpu")
    holder = gpu_pod("holder", namespace, pool=pool, gpus=8, owner="accept-test")
    holder["spec"] |= {"nodeName": NODES[0], "serviceAccountName": "default"}
    run_pod(kube, holder)
    monkeypatch.setattr(run, "open_placement", lambda _: there)
    assert atoll([each for each in ASKED if each != "--while-working"]) == 1
    said = capsys.readouterr().err
    assert f"{NODES[0]} is held by {namespace}/holder" in said
    assert SLOW not in said
    assert left(kube) == []
    assert atoll([*ASKED, "--dry-run"]) == 0
    assert f"node/{SLOW}" in capsys.readouterr().out
    assert left(kube) == []
